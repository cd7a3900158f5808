# frozen_string_literal: true

require_relative "cli_case"
require "io/console"

module Raffia
  # `raffia console`, typed at on a terminal, and fed through a pipe.
  class CLIConsoleTest < CLICase
    PROMPT = "raffia(main)"

    def setup
      super
      need_terminals
    end

    def test_others_go_on_while_the_prompt_waits
      console do
        type('Fiber.schedule { sleep 0.01 until File.exist?("go"); puts "from a fiber".upcase }')
        script("", "go")
        see("FROM A FIBER")
        type("channel = Raffia::Channel.new; taker = Fiber.schedule { puts channel.pop.upcase }")
        type("channel << :taken; channel.close", "TAKEN")
        type("class Counter < Raffia::Actor; def add(n) = (@sum = @sum.to_i + n); end")
        type("counter = Counter.spawn; counter.add(20); counter.add(29)", "=> 49")
        type("counter.future.add(1).value", "=> 50")
        leave
      end
    end

    def test_ctrl_c_ends_what_was_typed_and_no_more
      console do
        2.times do # soon after each other
          type('puts "a nap".upcase; sleep', "A NAP", prompt: false)
          press("\C-c")
          see("abort then interrupt!")
          see(PROMPT)
        end
        press("1 + 1 +")
        see("1 + 1 +")
        press("\C-c")
        see("^C")
        see(PROMPT)
        type("[6 * 7]", "=> [42]")
        leave
      end
    end

    # A computing fiber blocks the one that gets the first Ctrl-C: the second one ends it.
    def test_ctrl_c_twice_ends_a_fiber_that_does_not_wait
      console do
        type('Fiber.schedule { sleep 0.05; puts "busy".upcase; loop {} }; sleep', "BUSY",
          prompt: false)
        see("abort then interrupt!") { press("\C-c") }
        # the line that is being typed when its error comes is lost
        see("=> [42]") { press("[6 * 7]\n") }
        refute_match(%r{/lib/raffia/(?:cli|run)/}, @seen)
        leave
      end
    end

    def test_what_fails_in_a_fiber_is_shown_and_the_prompt_stays
      console do
        type('%w[one two].each { |name| Fiber.schedule { sleep 0.01 until File.exist?("go"); ' \
          'raise "stray".upcase + name } }')
        script("", "go")
        2.times { see("STRAY") }
        see(PROMPT)
        %w[one two].each { |name| assert_includes @seen, "STRAY#{name}" }
        type('raise "mine".upcase', "MINE")
        type("[6 * 7]", "=> [42]")
        leave
      end
    end

    # Ctrl-D, though fibers would run for ever; they are cancelled.
    def test_the_end
      console do
        type('Fiber.schedule { begin; loop { sleep 1 }; ensure; puts "clean".upcase; end }')
        type('class Last < Raffia::Actor; def on_stop(reason) = puts("stopped".upcase); end; ' \
          "Last.spawn", "=> #<Last")
        leave
        assert_includes(@seen, "CLEAN")
        assert_includes(@seen, "STOPPED")
      end
    end

    def test_what_is_typed_may_read
      console("-r", "json") do
        type("gets.upcase", prompt: false)
        press("a line\n")
        see("A LINE")
        leave
      end
    end

    def test_exit
      console do
        type("Fiber.schedule { sleep }; Kernel.exit(3)", prompt: false)
        assert_equal 3, ended
      end
    end

    def test_a_pipe
      ended = raffia("console", stdin: "x = 6 * 7\nFiber.schedule { sleep 0.05; puts \"fiber " \
        "\#{x}\" }\nsleep 0.2\n")
      assert_equal ["", 0], [ended.err, ended.code]
      assert_match(/^fiber 42$/, ended.out)
      refute_match(/Ctrl-D/, ended.out)
      assert_equal 3, raffia("console", stdin: "exit!(3)\n").code
    end

    def test_what_fails_at_the_end
      ended = raffia("console", stdin: "Fiber.schedule { begin; sleep; ensure; raise 'late'; end " \
        "}\n")
      assert_equal 1, ended.code
      assert_match(/\A\(raffia\):1:in .*: late \(RuntimeError\)$/, ended.err)
      refute_match(%r{lib/raffia}, ended.err)
    end

    def test_programs
      script("ANSWER = 42", "jobs.rb")
      assert_match(/^the 42$/, raffia("console", stdin: "puts \"the \#{ANSWER}\"\n").out)
      script("OTHER = 43", "other.rb")
      assert_match(/^the 43, nil$/,
        raffia("console", "-r", "other.rb",
          stdin: "puts \"the \#{OTHER}, \#{defined?(ANSWER).inspect}\"\n").out)
      assert_match(/^the JSON$/, raffia("console", "-r", "json", stdin: "puts \"the \#{JSON}\"\n")
        .out)
      script("require 'not_there'", "broken.rb")
      ended = raffia("console", "-r", "broken.rb")
      assert_equal [1, "broken.rb:1:in "], [ended.code, ended.err[/broken.rb:1:in /]]
      refute_match(%r{lib/raffia}, ended.err)
    end

    def test_compat
      ended = raffia("console", "--compat=parallel",
        stdin: "require 'parallel'; puts Parallel.map([20, 22], in_threads: 2) { |n| n * 2 " \
          "}.inspect\n")
      assert_match(/^\[40, 44\]$/, ended.out, ended.err)
    end

    def test_what_cannot_be
      {%w[-r nowhere.rb] => /nowhere.rb does not exist/,
       %w[-r no/such/library] => /no\/such\/library does not exist/,
       %w[-r .] => /is a folder without config\/environment.rb/,
       %w[--compat=nonsense] => /nonsense is no layer/}.each do |argv, message|
        ended = raffia("console", *argv)
        assert_equal [2, "", 1], [ended.code, ended.out, ended.err.lines.size], ended.err
        assert_match(message, ended.err)
      end
    end

    # Ruby 4.0 has it as a gem, which a bundle may be without.
    def test_without_irb
      script("raise LoadError, 'cannot load such file -- irb'", "irb.rb")
      ended = ruby("-I", @dir, EXECUTABLE, "console")
      assert_equal [1, ""], [ended.code, ended.out]
      assert_match(
        /\Araffia: raffia console needs the gem irb, which could not be loaded: .* gem "irb"$/,
        ended.err
      )
    end

    private

    # With a history and settings of its own, and in a terminal that answers where its cursor is.
    def console(*argv)
      env = clean("HOME" => @dir, "XDG_CONFIG_HOME" => @dir, "IRBRC" => nil, "TERM" => "xterm",
        "LANG" => "C.UTF-8", "NO_COLOR" => "1", "IRB_USE_AUTOCOMPLETE" => "false")
      PTY.spawn(env, RbConfig.ruby, "-I", File.join(ROOT, "lib"), EXECUTABLE, "console", *argv,
        chdir: @dir) do |out, input, pid|
        out.winsize = [50, 200]
        @out, @input, @pid = out, input, pid
        @seen = +""
        @from = 0
        see("Ctrl-D ends it")
        see(PROMPT)
        yield
      ensure
        ::Process.kill(:KILL, pid) unless @status
      end
    end

    def press(text) = @input.write(text)

    # @param answer [String, nil] what is to be seen before the next prompt
    def type(line, answer = nil, prompt: true)
      press("#{line}\n")
      see("\e[?2004l") # the line is read
      see(answer) if answer
      see(PROMPT) if prompt
    end

    # Reads until it comes, behind what was seen before. The block is called now and then.
    def see(text, &)
      at = nil
      waiting(text) { (at = @seen.index(text, @from)) || (read(&) && nil) }
      @from = at + text.size
    end

    def waiting(what)
      limit = TestSupport.now + PROCESS_PATIENCE
      until yield
        flunk("#{what} does not come: #{@seen}") if TestSupport.now > limit
      end
    end

    def read
      return yield if block_given? && !@out.wait_readable(0.3)
      return unless @out.wait_readable(0.1)

      text = @out.readpartial(4096)
      press("\e[1;1R") if text.include?("\e[6n")
      @seen << text.force_encoding(Encoding::UTF_8).scrub
    end

    # Between two prompts the terminal takes Ctrl-D for the end of a line.
    def leave = assert_equal(0, ended { press("\C-d") }, @seen)

    # @return [Integer] the exit code
    def ended(&)
      waiting("the end") { read(&) && nil }
    rescue EOFError, Errno::EIO
      @status = ::Process.wait2(@pid).last.exitstatus
    end
  end
end
