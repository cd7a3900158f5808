# frozen_string_literal: true

require_relative "cli_case"

module Raffia
  # `raffia run script.rb` beside `ruby script.rb`: a program must not see the difference, but for
  # the scheduler.
  class CLIRunTest < CLICase
    def test_the_script_runs_in_a_non_blocking_fiber_under_our_scheduler
      ended = raffia "run",
        script("p Fiber.current.blocking?, Fiber.scheduler.is_a?(Raffia::Scheduler)")
      assert_equal ["false\ntrue\n", "", 0], [ended.out, ended.err, ended.code]
    end

    def test_what_a_script_knows_of_itself_is_as_under_ruby
      FileUtils.mkdir(File.join(@dir, "lib"))
      script "FROM_LIB = 7", "lib/part.rb"
      same_as_ruby <<~RUBY, "one", "--two", "three four"
        require_relative "lib/part"
        def helper = 1
        p __FILE__, $0, $PROGRAM_NAME, __FILE__ == $0, ARGV, FROM_LIB
        p File.basename(__dir__) == File.basename(Dir.pwd)
        p self, Object.private_method_defined?(:helper), __method__, defined?(DATA)
        p "literal".frozen?
        p local_variables
        return
        puts "not reached"
      RUBY
    end

    def test_magic_comments_hold
      same_as_ruby "# frozen_string_literal: true\n# encoding: iso-8859-1\np 'x'.frozen?, " \
        "__ENCODING__"
    end

    def test_the_data_section
      same_as_ruby "puts <<TEXT\n__END__\nTEXT\np DATA.read, DATA.class\n__END__\nline 1\r\nline 2"
      same_as_ruby "p DATA.read\n__END__"
    end

    def test_an_end_marker_in_a_heredoc_is_text
      same_as_ruby "x = <<TEXT\n__END__\nTEXT\np x, defined?(DATA)"
    end

    def test_a_script_in_another_folder
      FileUtils.mkdir_p(File.join(@dir, "a/b"))
      script "p __FILE__, $0, __FILE__ == $0, File.basename(__dir__)", "a/b/it.rb"
      assert_equal ruby("a/b/it.rb").out, raffia("run", "a/b/it.rb").out
      path = File.join(@dir, "a/b/it.rb")
      assert_equal ruby(path).out, raffia("run", path).out
    end

    def test_exit_codes
      ["", "exit", "exit 3", "exit!(4)", "abort 'enough'", "raise 'x'", "raise SystemExit",
        "throw :nobody"].each { |source| same_as_ruby source }
    end

    def test_a_signal_that_the_script_sends_itself
      ruby_status, our_status = both("Process.kill(:TERM, Process.pid); sleep").map(&:status)
      assert_equal ruby_status.termsig, our_status.termsig
    end

    def test_uncaught_exceptions_are_printed_as_ruby_prints_them
      same_as_ruby <<~RUBY
        def inner = raise(ArgumentError, "the cause")

        def outer
          inner
        rescue
          raise "the effect"
        end

        outer
      RUBY
    end

    def test_an_uncaught_error_of_raffia_belongs_to_the_script
      ended = raffia "run", script("require 'raffia'\nraise Raffia::ConfigError, 'theirs'")
      assert_equal 1, ended.code
      assert_equal "script.rb:2:in '<main>': theirs (Raffia::ConfigError)\n".tr("'", "`"),
        ended.err.tr("'", "`")
    end

    def test_a_script_with_a_syntax_error
      same_as_ruby "def broken\n  1 +\n"
      same_as_ruby "p 1\np(\n"
    end

    def test_a_syntax_error_in_a_file_that_the_script_loads
      script "def broken\n  1 +\n", "part.rb"
      same_as_ruby "require_relative 'part'"
      same_as_ruby "begin; require_relative 'part'; rescue SyntaxError => e; p e.class, e.path; end"
    end

    def test_at_exit_sees_how_the_script_ended
      same_as_ruby "at_exit { p $!.nil? || $!.success? }\nat_exit { puts 'first' }\nEND { puts " \
        "'END' }\nputs 'main'"
      same_as_ruby "at_exit { p $!.class, $!.message }\nraise 'x'"
      same_as_ruby "at_exit { p $!.status; exit 9 }\nexit 5"
    end

    def test_it_waits_for_the_fibers_that_the_script_scheduled
      ended = raffia "run", script(<<~RUBY)
        at_exit { puts "at_exit" }
        Fiber.schedule do
          sleep 0.05
          Fiber.schedule { sleep(0.01); puts "grandchild" }
          puts "child"
        end
        puts "main"
      RUBY
      assert_equal [%w[main child grandchild at_exit], "", 0],
        [ended.out.split, ended.err, ended.code]
    end

    def test_waits_overlap
      ended = raffia "run", script(<<~RUBY)
        started = Process.clock_gettime(Process::CLOCK_MONOTONIC)
        50.times { Fiber.schedule { sleep 0.2 } }
        at_exit { p Process.clock_gettime(Process::CLOCK_MONOTONIC) - started < 5 }
      RUBY
      assert_equal "true\n", ended.out # one after the other they would take 10 s
    end

    def test_an_exception_in_a_scheduled_fiber_ends_the_script
      ended = raffia "run", script("Fiber.schedule { sleep 0.01; raise 'in a fiber' }\nsleep 0.05")
      assert_equal 1, ended.code
      assert_match(/in a fiber \(RuntimeError\)/, ended.err)
    end

    def test_standard_input_as_the_script
      source = "p $0, __FILE__, ARGV, Fiber.current.blocking?, DATA.read\n__END__\nrest"
      ended = raffia "run", "-", "arg", stdin: source
      assert_equal [%("-"\n"-"\n["arg"]\nfalse\n"rest"\n), "", 0],
        [ended.out, ended.err, ended.code]
    end

    def test_a_pipe_as_the_script
      ended = raffia "run", "/dev/stdin", stdin: "p $0, 'ä'.size, DATA.read\n__END__\nrest"
      assert_equal [%("/dev/stdin"\n1\n"rest"\n), "", 0], [ended.out, ended.err, ended.code]
    end

    def test_the_script_reads_standard_input
      assert_equal "HELLO", raffia("run", script("print $stdin.read.upcase"), stdin: "hello").out
    end

    # Go does it like that: Ctrl-\\ ends a program that hangs, and one sees where.
    def test_quit_prints_what_it_waits_for_on_its_way_out
      ended = raffia "run",
        script("Fiber.schedule { Thread::Queue.new.pop }\nFiber.schedule { sleep 0.01; " \
          "Process.kill(:QUIT, $$) }\nsleep")
      assert_equal Signal.list["QUIT"], ended.status.termsig
      assert_match(
        /Thread::Queue.*asleep until it is woken|asleep until it is woken.*Thread::Queue/m,
        ended.err
      )
    end

    def test_the_signal_of_the_dump
      script = script("Fiber.schedule { sleep 0.01; Process.kill(:USR2, $$) }\nsleep 1\nputs :over")
      [["run", "--dump-signal", "USR2", script],
        ["run", "--dump-signal=SIGUSR2", script]].each do |arguments|
        ended = raffia(*arguments)
        assert_equal ["over\n", 0], [ended.out, ended.code]
        assert_match(/\ARaffia .*asleep for 1\.0 s/m, ended.err)
      end
      assert_equal 0, raffia("run", script, env: {"RAFFIA_DUMP_SIGNAL" => "USR2"}).code
      ended = raffia("run", "--dump-signal", "off", script("p trap(:QUIT, 'DEFAULT')"))
      assert_equal ["\"DEFAULT\"\n", 0], [ended.out, ended.code]
      ended = raffia("run", "--dump-signal", "NONESUCH", script("p 1"))
      assert_equal [2, ""], [ended.code, ended.out]
      assert_match(/NONESUCH is no signal here/, ended.err)
    end

    def test_a_deadlock_is_an_error_of_the_script
      ended = raffia "run", script("Thread::Queue.new.pop")
      assert_equal 1, ended.code
      assert_match(/nothing can ever wake this fiber again: .*script.rb:1/m, ended.err)
      refute_match(%r{lib/raffia}, ended.err)
    end

    def test_each_back_end_by_name
      require "raffia/engine"
      names = Engine.probe.filter_map { |found| found[:name] if found[:ok] }
      names.each do |name|
        ended = raffia "run", "--backend", name.to_s, script("p Fiber.scheduler.backend")
        assert_equal [name.inspect, "", 0], [ended.out.chomp, ended.err, ended.code]
      end
    end

    def test_compat_answers_what_an_unchanged_program_requires
      program = script <<~RUBY
        require "evt"
        Thread.new do
          Fiber.set_scheduler(Evt::Scheduler.new)
          input, output = IO.pipe
          Fiber.schedule { puts input.read(5) }
          Fiber.schedule { output.write("hello") }
        end.join
      RUBY
      %w[--compat --compat=evt].each do |flag|
        assert_equal ["hello\n", "", 0],
          raffia("run", flag, program).then { |ended| [ended.out, ended.err, ended.code] }
      end
      assert_equal ["hello\n", "", 0], ruby("-rraffia/compat", program)
        .then { |ended| [ended.out, ended.err, ended.code] }
      assert_match(/cannot load such file -- evt/, raffia("run", program).err)
      ended = raffia("run", "--compat=nonsense", program)
      assert_equal 2, ended.code
      assert_match(/\Araffia: nonsense is no layer of raffia\/compat: use some of/, ended.err)
    end

    def test_compat_runs_a_program_of_parallel
      program = script <<~RUBY
        require "parallel"
        p Parallel.map(1..4, in_processes: 2) { |x| x * 2 }
        finish = ->(item, *) { $stderr.print item }
        p Parallel.map(%w[a b], in_threads: 2, finish:) { |x| x.upcase }
        Parallel.each([1]) { exit 3 } rescue p $!.class
        exit Parallel.any?([1, nil]) { |x| x } ? 7 : 1
      RUBY
      [raffia("run", "--compat", program), ruby("-rraffia/compat", program)].each do |ended|
        assert_equal "[2, 4, 6, 8]\n[\"A\", \"B\"]\nParallel::DeadWorker\n", ended.out, ended.err
        assert_equal [%w[a b], 7], [ended.err.chars.sort, ended.code]
      end
    end

    def test_what_cannot_be_run
      FileUtils.mkdir(File.join(@dir, "folder"))
      {
        %w[run] => /needs a script/,
        %w[run nowhere.rb] => /nowhere\.rb does not exist/,
        %w[run folder] => /folder is a directory/,
        %w[run --nonsense x.rb] => /invalid option: --nonsense/,
        ["run", "--backend", "steam", script("p 1")] => /steam/
      }.each do |argv, message|
        ended = raffia(*argv)
        assert_equal [2, "", 1], [ended.code, ended.out, ended.err.lines.size], argv.join(" ")
        assert_match(/\Araffia: .*#{message}/, ended.err)
      end
    end

    def test_ctrl_c_is_quiet
      ended = raffia "run", script("at_exit { puts 'bye' }\nProcess.kill(:INT, Process.pid)\nsleep")
      assert_equal ["bye\n", "", 130], [ended.out, ended.err, ended.code]
    end

    private

    def both(source, *argv)
      name = script(source)
      [ruby(name, *argv), raffia("run", name, *argv)]
    end

    def same_as_ruby(source, *argv)
      theirs, ours = both(source, *argv).map { |ended| [ended.out, ended.err, ended.code] }
      assert_equal theirs, ours, source
    end
  end
end
