# frozen_string_literal: true

require_relative "../scheduler/scheduler_case"

# A dump on a signal.
module RunDumpSuite
  HEAD = "$stdout.sync = true; require \"raffia\"\n"

  def test_while_the_loop_sleeps
    out, status = program(<<~RUBY, ["ready", :USR2])
      Raffia.run(dump_on: :USR2) do |scope|
        scope.spawn { sleep }
        out, input = IO.pipe
        scheduler = Fiber.scheduler
        Thread.new do
          sleep 0.001 until scheduler.parked.any? { |one| one.reason == :io }
          puts "ready"
          sleep 0.001 until $stderr.string.include?("pipe")
          input << "x"
        end
        out.read(1)
        scope.cancel
      end
    RUBY
    assert_predicate status, :success?, out
    assert_match(
      /asleep until it is woken.*readable: IO pipe|readable: IO pipe.*asleep until it is woken/m,
      out
    )
    assert_match(/^went on$/, out)
  end

  def test_while_a_fiber_hogs_the_thread
    out, status = program(<<~RUBY, ["ready", :USR2])
      def hog
        puts "ready"
        nil until $stderr.string.include?("hog")
      end
      Raffia.run(dump_on: "SIGUSR2") do |scope|
        scope.spawn { Thread::Queue.new.pop(timeout: 100) }
        hog
        scope.cancel
      end
    RUBY
    assert_predicate status, :success?, out
    assert_match(/the thread is at\n.*hog'/m, out)
    assert_match(/Thread::Queue/, out)
  end

  def test_while_somebody_writes_to_stderr
    out, status = ruby(<<~RUBY, {}, signals: [["ready", :USR2], ["again", :USR2]])
      #{HEAD}
      Raffia.run(dump_on: :USR2) do
        Thread.new { puts "ready"; sleep 0.01; puts "again"; sleep 0.05; Process.exit!(0) }
        $stderr.sync = true
        $stderr.reopen(File::NULL)
        $stderr.write("x" * 10) while true
      end
    RUBY
    assert_predicate status, :success?, out
    refute_match(/recursive locking/, out)
  end

  def test_schedulers_of_several_threads
    out, status = program(<<~RUBY, ["ready", :USR2])
      ready = Thread::Queue.new
      threads = Array.new(2) do |n|
        Thread.new do
          Raffia.run(dump_on: :USR2) do
            ready << 1
            sleep(0.001) until $stderr.string.include?("Raffia")
          end
        end
      end
      2.times { ready.pop }
      puts "ready"
      threads.each(&:join)
    RUBY
    assert_predicate status, :success?, out
    assert_equal 2, out.scan(/^#{backend} in #<Thread/).size, out
    assert_equal 1, out.scan(/^Raffia \d/).size, "one dump for one signal"
  end

  def test_the_signal_keeps_its_earlier_effect
    out, status = program(<<~RUBY, ["ready", :USR2])
      handled = Thread::Queue.new
      trap(:USR2) { handled << "handled" }
      Raffia.run(dump_on: :USR2) do
        puts "ready"
        puts handled.pop
      end
    RUBY
    assert_predicate status, :success?, out
    assert_includes out, "handled"
  end

  def test_it_is_taken_off_again
    handler = -> {}
    before = trap(:USR2, handler)
    in_thread do
      Raffia.run(backend: backend, dump_on: :USR2) { refute_same handler, current(:USR2) }
    end
    assert_same handler, current(:USR2)
    other = -> {}
    in_thread { Raffia.run(backend: backend, dump_on: :USR2) { trap(:USR2, other) } }
    assert_same other, current(:USR2), "the program's own stays"
  ensure
    trap(:USR2, before || "DEFAULT")
  end

  def test_settings
    out, = ruby("#{HEAD}Raffia.run { p trap(:USR2, 'DEFAULT').class }",
      {"RAFFIA_DUMP_SIGNAL" => "USR2"})
    assert_equal "Proc\n", out
    out, = ruby("#{HEAD}Raffia.run(dump_on: :off) { p trap(:USR2, 'DEFAULT') }",
      {"RAFFIA_DUMP_SIGNAL" => "USR2"})
    assert_equal "\"DEFAULT\"\n", out
    %w[NONESUCH KILL EXIT].each do |name|
      assert_raises(Raffia::ConfigError, name) do
        Raffia.run(backend: backend, dump_on: name) { flunk }
      end
    end
    in_thread do
      Raffia.run(backend: backend) do
        assert_raises(Raffia::ConfigError) { Raffia.run(dump_on: :USR2) { flunk } }
      end
    end
  end

  private

  def current(signal) = trap(signal, "IGNORE").tap { |handler| trap(signal, handler) }

  # Its stderr can be looked into, and is printed at the end.
  def program(code, *signals)
    ruby(<<~RUBY, signals: signals)
      #{HEAD}require "stringio"
      $stderr = StringIO.new
      at_exit { STDOUT.write($stderr.string) }
      #{code}
      at_exit { puts "went on" }
    RUBY
  end
end

SchedulerCase.run(RunDumpSuite)
