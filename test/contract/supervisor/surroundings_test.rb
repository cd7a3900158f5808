# frozen_string_literal: true

require "test_helper"
require "raffia/native"
require "support/supervised"
require "tempfile"
require "tmpdir"

# A supervisor as others see it: systemd, its pid file, its state, the listeners in its loop.
class SupervisorSurroundingsTest < Raffia::TestCase
  include TestSupport::Supervising

  SERVE = "{ |context| context.ready!; context.wait_for_stop }"

  # A real socket where systemd's would be.
  def notified(path)
    socket = Socket.new(:UNIX, :DGRAM)
    socket.bind(Addrinfo.unix(path.sub(/\A@/, "\0")))
    yield -> {
      assert(socket.wait_readable(PATIENCE * 2), "systemd hears nothing") &&
        socket.recv(4096).lines(chomp: true)
    }
  ensure
    socket&.close
  end

  # "late" is there as by another thread, between the flush and the fork.
  WRITE = <<~RUBY
    $file = File.open(ENV.fetch("RAFFIA_TEST_FILE"), "w")
    $file << "before "
    Process.singleton_class.prepend(Module.new { def _fork = ($file << "late ") && super })
  RUBY

  def test_what_was_written_before_a_fork_is_there_once
    skip "this Ruby has no extension" unless Raffia::Native.available?

    {"" => 2, "Ractor.new { 1 }.take; " => 2,
     "preload = -> { $file << 'template ' }; " => 1}.each do |more, late|
      Tempfile.create("written") do |file|
        preload = ", preload: preload" if more.include?("preload")
        script = "ENV['RAFFIA_TEST_FILE'] = #{file.path.inspect}; #{WRITE}; " \
        "#{more}supervise(workers: 2#{preload}) " \
          "{ |context| $file << 'worker '; context.ready!; context.wait_for_stop }"
        supervised(script) { |program| program.hear_all("ready", 2) && assert_stops(program) }
        words = File.read(file.path).split.tally
        assert_equal({"before" => 1, "worker" => 2}, words.slice("before", "worker"))
        assert_operator(words["late"], :>=, late)
        assert_equal(preload ? 1 : 0, words.fetch("template", 0))
      end
    end
  end

  def test_systemd_is_told
    Dir.mktmpdir do |folder|
      [File.join(folder, "notify"), "@raffia-test-#{::Process.pid}"].each do |path|
        notified(path) do |hear|
          supervised("supervise(workers: 2, notify_socket: #{path.inspect}) #{SERVE}") do |program|
            assert_equal(["READY=1", "STATUS=2 workers", "MAINPID=#{program.pid}"], hear.call)
            program.kill(:HUP)
            reloading = hear.call
            assert_equal("RELOADING=1", reloading[0])
            assert_match(/\AMONOTONIC_USEC=\d{7,}\z/, reloading[1])
            assert_equal(["READY=1", "STATUS=generation 2"], hear.call.first(2))
            program.kill(:TERM)
            assert_equal(["STOPPING=1", "STATUS=stopping"], hear.call)
            assert_equal(0, program.wait)
          end
        end
      end
    end
  end

  def test_systemds_watchdog_hears_of_a_loop_that_turns
    path = "@raffia-watchdog-#{::Process.pid}"
    notified(path) do |hear|
      supervised("supervise(notify_socket: #{path.inspect}, watchdog: 0.1) #{SERVE}") do |program|
        heard = Array.new(6) { hear.call }
        assert_operator(heard.count(["WATCHDOG=1"]), :>=, 5)
        assert_stops(program)
      end
    end
  end

  def test_a_restart_that_failed_is_told_as_ready_again
    path = "@raffia-failing-#{::Process.pid}"
    notified(path) do |hear|
      supervised("supervise(notify_socket: #{path.inspect}) { |context| raise 'a bug' if " \
        "context.generation == 2; context.ready!; context.wait_for_stop }") do |program|
        hear.call
        program.kill(:HUP)
        assert_equal("RELOADING=1", hear.call.first)
        assert_match(/\ASTATUS=restart failed: worker 0/, hear.call[1])
        assert_stops(program)
      end
    end
  end

  def test_a_restart_before_all_are_ready_is_no_news_of_being_ready
    path = "@raffia-booting-#{::Process.pid}"
    script = "supervise(notify_socket: #{path.inspect}) { |context| exit(1) if " \
    "context.generation == " \
      "2; say('boots'); sleep(0.01) until File.exist?(ARGV.fetch(0)); context.ready!; " \
      "context.wait_for_stop }"
    Dir.mktmpdir do |folder|
      notified(path) do |hear|
        supervised(script.sub("ARGV.fetch(0)", File.join(folder, "go").inspect)) do |program|
          program.hear("boots")
          program.kill(:HUP)
          assert_equal(["STATUS=restarting"], hear.call)
          assert_match(/\ASTATUS=restart failed/, hear.call.first)
          FileUtils.touch(File.join(folder, "go"))
          assert_equal("READY=1", hear.call.first)
          assert_stops(program)
        end
      end
    end
  end

  def test_a_systemd_that_is_not_there
    supervised("supervise(notify_socket: '/nonexistent', watchdog: 0.1) #{SERVE}") do |program|
      program.hear("ready")
      assert_stops(program)
    end
  end

  def test_the_pid_file
    Dir.mktmpdir do |folder|
      path = File.join(folder, "raffia.pid")
      script = "begin; supervise(pid_file: #{path.inspect}) #{SERVE}; rescue Raffia::ConfigError " \
        "=> error; say('refused', error.message); end"
      supervised(script) do |program|
        program.hear("ready")
        assert_equal("#{program.pid}\n", File.read(path))
        supervised(script) do |other|
          assert_match(/names process #{program.pid}, which runs/, other.hear("refused"))
        end
        assert_equal("#{program.pid}\n", File.read(path))
        program.kill(:KILL)
        program.wait
      end
      supervised(script) do |program| # the file is stale now
        program.hear("ready")
        assert_equal("#{program.pid}\n", File.read(path))
        assert_stops(program)
      end
      assert_empty(Dir.children(folder))
    end
  end

  def test_a_pid_file_that_cannot_be_written
    script = "begin; supervise(pid_file: '/proc/raffia.pid') #{SERVE}; rescue " \
      "Raffia::ConfigError => error; say('refused', error.message); end"
    supervised(script) do |program|
      assert_match(%r{/proc/raffia\.pid cannot be written}, program.hear("refused"))
    end
  end

  def test_status_titles_and_messages
    script = <<~RUBY
      answer = lambda do |index, name, data|
        say(name, [index, data])
        $supervisor.broadcast(:answer, data + 1)
      end
      hooks = {on_message: answer}
      supervise(workers: 2, name: "echo", hooks: hooks, preload: -> {}) do |context|
        context.on_message(:answer) { |data| say("answer", [context.index, data]) }
        context.on_message(:failing) { raise "a bug" }
        context.board[3] = 40 + context.index
        context.ready!
        say("title", File.read("/proc/self/cmdline").delete("\\0").strip)
        if context.index == 1
          sleep(0.01) until context.boards.sum(3) == 81
          sleep(0.01) until (status = context.status)&.fetch("state") == "running"
          say("status", status)
          say("too long", (context.send(:x, "x" * 70_000) rescue $!.message))
          context.send(:question, 5)
        end
        context.wait_for_stop
      end
    RUBY
    supervised(script) do |program|
      pids = program.hear_all("ready", 2).to_h
      assert_equal(["echo: worker 0, generation 1", "echo: worker 1, generation 1"],
        program.hear_all("title", 2).sort)
      status = program.hear("status")
      assert_equal([program.pid, "echo", 2, 2, 1],
        status.values_at("pid", "name", "workers", "ready", "generation"))
      assert_equal(pids, status["slots"].to_h { |slot| slot.values_at("index", "pid") })
      status["slots"].each { |slot| assert_operator(slot["pss"], :>, slot["private_dirty"]) }
      assert_equal("a message of 70008 bytes is too long, 65536 is the limit",
        program.hear("too long"))
      assert_equal([1, 5], program.hear("question"))
      assert_equal([[0, 6], [1, 6]], program.hear_all("answer", 2).sort)
      assert_stops(program)
    end
  end

  def test_what_listens_in_the_loop
    script = <<~RUBY
      door = TCPServer.new("127.0.0.1", 0)
      pipe, torn = IO.pipe
      $supervisor = Raffia::Process::Supervisor.new(log: Logger.new($stderr)) do |context|
        context.ready!
        say("closed", door.closed?)
        context.wait_for_stop
      end
      $supervisor.watch(door) do |io|
        io.accept.tap { |client| client.write($supervisor.status[:workers]) }.close
      end
      $supervisor.watch(pipe) { raise "a bug of the watcher" }
      torn.write(".")
      say("port", door.local_address.ip_port)
      exit $supervisor.run
    RUBY
    supervised(script) do |program|
      port = program.hear("port")
      assert(program.hear("closed"))
      assert_equal("1", TCPSocket.open("127.0.0.1", port, &:read))
      wait_until { program.errors.include?("a bug of the watcher") }
      assert_stops(program)
    end
  end

  def test_the_number_of_workers_has_bounds
    supervised("supervise(max_workers: 2) #{SERVE}") do |program|
      program.hear("ready")
      program.kill(:TTOU)
      wait_until { program.errors.include?("0 workers: at least one, at most 2 are possible") }
      program.kill(:TTIN)
      assert_equal(1, program.hear("ready").first)
      program.kill(:TTIN)
      wait_until { program.errors.include?("3 workers: at least one, at most 2 are possible") }
      program.kill(:TTOU)
      assert_equal([1, nil, 0], program.hear("exit").values_at(0, 2, 3))
      assert_stops(program)
    end
  end
end
