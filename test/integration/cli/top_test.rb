# frozen_string_literal: true

require_relative "cli_case"
require "io/console"
require "json"

module Raffia
  # `raffia top`, looking at a program in another process.
  class CLITopTest < CLICase
    PROGRAM = <<~RUBY
      require "raffia/actor"
      class Clerk < Raffia::Actor
        def work = 1
        def fail_with(text) = raise(text)
        def wait = sleep
      end
      class App < Raffia::Supervisor
        strategy :one_for_one, intensity: 10, backoff: 0
        child Clerk, name: :clerk, on: :threads, shutdown: :brutal_kill
        child(Raffia::Supervisor, name: :inner) { |s| s.child Clerk, name: :pool, pool: 2 }
        child(name: :poller) { loop { sleep 60 } }
      end
      App.spawn(name: :app)
      Raffia::Actor.log = Class.new { def error(*) = nil }.new
      clerk = Raffia::Actor[:clerk]
      clerk.fail_with("two\\nlines\\xFF") rescue nil
      clerk.work
      clerk.async.wait
      clerk.async.work
      Clerk.spawn
      $stdout.sync = true
      puts "ready"
      $stdin.read
    RUBY

    def test_the_tree_of_a_running_process
      running("run", "--top") do |pid|
        ended = raffia("top", "--json", env: env)
        view = wait_until { look if look[:tree].first[:children].first[:doing] }

        assert_equal([0, ""], [ended.code, ended.err])
        assert_equal([pid, 8, 0], view.values_at(:pid, :actors, :left_out))
        app, lonely = view[:tree]

        assert_equal(["app", "App", "supervisor", "fibers"],
          app.values_at(:name, :class, :kind, :on))
        assert_equal(["clerk", "Clerk", "actor", "threads", 1, 1, "wait",
          "RuntimeError: two\nlines\uFFFD"],
          app[:children].first.values_at(:name, :class, :kind, :on, :mailbox, :restarts, :doing,
            :error))
        assert_equal(["inner", "poller"], app[:children].drop(1).map { |node| node[:name] })
        assert_equal([["pool", "pool", 2]],
          app[:children][1][:children].map { |node|
            [node[:name], node[:kind],
              node[:children].size]
          })
        assert_nil(lonely[:name])
      end
    end

    def test_the_tree_for_people
      running("run", "--top") do |pid|
        wait_until { look[:tree].first[:children].first[:doing] }
        lines = raffia("top", "--once", pid.to_s, env: env).out.lines(chomp: true)

        assert_match(/\Ascript\.rb \(#{pid}\): 8 actors, /, lines[0])
        assert_match(/\AACTOR +ON +STATUS +WAITING +HANDLED +RESTARTS +DOING +ERROR\z/, lines[1])
        assert_match(
          /\A├ clerk Clerk +threads +running +1 +\d+ +1 +wait +RuntimeError: two lines\uFFFD\z/,
          lines[3]
        )
        assert_match(/\A│ └ pool Clerk pool /, lines[5])
        assert_match(/\A└ poller block /, lines[8])
      end
    end

    # A title may hold what moves the cursor, and a tree may be deeper than JSON is by default.
    def test_titles_that_are_no_text_and_deep_trees
      path = script(<<~'RUBY')
        require "raffia/actor"
        (1..61).reduce(Raffia::Supervisor.spawn) do |above, level|
          above.start_child(Raffia::Supervisor, name: :"level #{level}")
        end
        $PROGRAM_NAME = "evil\e]0;title\a\nname\xFF"
        puts "ready"
        $stdout.flush
        $stdin.read
      RUBY
      watched(EXECUTABLE, "run", "--top", path) do
        line = raffia("top", "--once", env: env).out.lines.first

        assert_match(/\Aevil \]0;title name\uFFFD \(\d+\): 62 actors, /, line)
        view = raffia("top", "--json", env: env)
        assert_equal(["", 0], [view.err, view.code])
        assert_includes(view.out, '"level 61"')
        assert_equal(62, JSON.parse(view.out, max_nesting: false)["actors"])
      end
    end

    def test_nobody_else_can_look
      running do |pid|
        socket = File.join(@dir, "raffia", "#{pid}.sock")

        assert_equal([0o700, 0o600], [File.dirname(socket),
          socket].map { |path| File.stat(path).mode & 0o777 })
        assert_equal(0, raffia("top", "--once", socket, env: env).code)
        File.chmod(0o755, File.dirname(socket))

        assert_match(/no folder that only you can use/, raffia("top", env: env).err)
        File.chmod(0o700, File.dirname(socket))
      end
    end

    def test_what_is_not_there
      assert_match(/No process shows its actors/, raffia("top", env: env).out)
      ended = raffia("top", "1", env: env)

      assert_equal([2,
        "raffia: 1 shows nothing: it has ended, or was not started with RAFFIA_TOP=on or `raffia " \
          "run --top`\n"], [ended.code, ended.err])
      assert_equal(2, raffia("top", "--interval", "0", env: env).code)
      running { nil }
      # The socket of a process that has ended does no harm.
      assert_match(/No process shows its actors/, raffia("top", env: env).out)
      assert_empty(Dir.children(File.join(@dir, "raffia")))
    end

    def test_it_goes_on_looking_on_a_terminal
      need_terminals
      running do |pid|
        PTY.spawn(clean(env), RbConfig.ruby, "-I", File.join(ROOT, "lib"), EXECUTABLE, "top", "-i",
          "0.05", chdir: @dir) do |out, _, top|
          out.winsize = [24, 120]
          seen = +""
          wait_until { (seen << out.readpartial(4096)).scan("script.rb (#{pid})").size > 2 }
          ::Process.kill(:INT, top)
          begin
            loop { seen << out.readpartial(4096) }
          rescue EOFError, Errno::EIO
            assert(seen.end_with?("\e[?25h\e[?1049l"), seen.inspect)
          end
          assert_equal(0, ::Process.wait2(top).last.exitstatus)
        end
      end
    end

    def test_a_program_works_though_nobody_can_look
      path = script(<<~RUBY)
        require "raffia/actor"
        class One < Raffia::Actor
          def work = 1
        end
        p One.spawn.work
      RUBY
      folder = File.join(@dir, "raffia")
      Dir.mkdir(folder, 0o777)
      File.chmod(0o777, folder)
      out, err, status = Open3.capture3(clean({**env, "RAFFIA_TOP" => "on"}), RbConfig.ruby, "-I",
        File.join(ROOT, "lib"), path, chdir: @dir)
      assert_equal(["1\n", 0], [out, status.exitstatus])
      assert_match(/raffia top will not see this process: .* is no folder that only you can use/,
        err)
    end

    private

    def env = {"XDG_RUNTIME_DIR" => @dir}

    def look = JSON.parse(raffia("top", "--json", env: env).out.lines.first, symbolize_names: true)

    # A process that shows its actors, until the end of the block.
    def running(*command)
      how = command.empty? ? [script(PROGRAM)] : [EXECUTABLE, *command, script(PROGRAM)]
      watched(*how, top: ("on" if command.empty?)) { |pid| yield pid }
    end

    def watched(*how, top: nil)
      Open3.popen2(clean({**env, "RAFFIA_TOP" => top}), RbConfig.ruby, "-I", File.join(ROOT, "lib"),
        *how, chdir: @dir) do |input, output, process|
        assert_equal("ready\n", output.gets)
        yield process.pid
      ensure
        input.close
        process.join(2) || ::Process.kill(:KILL, process.pid)
      end
    end

    def wait_until
      limit = TestSupport.now + PROCESS_PATIENCE
      until (value = yield)
        flunk("it did not come to that") if TestSupport.now > limit
      end
      value
    end
  end
end
