# frozen_string_literal: true

require_relative "../scheduler/scheduler_case"

# When nothing can ever go on. Each in a process of its own: the tests' other threads could wake
# anybody.
module RunDeadlockSuite
  DEADLOCKS = {
    two_mutexes: ["held by #", <<~RUBY],
      a, b = Mutex.new, Mutex.new
      scope.spawn { a.synchronize { sleep 0.001; b.synchronize { nil } } }
      scope.spawn { b.synchronize { sleep 0.001; a.synchronize { nil } } }
    RUBY
    a_queue: ["Thread::Queue", "Thread::Queue.new.pop"],
    a_cycle_of_tasks: ["the end of #", <<~RUBY],
      tasks = []
      tasks << scope.spawn { sleep 0.001; tasks.last.join }
      tasks << scope.spawn { tasks.first.join }
    RUBY
    a_channel: ["another task", "Raffia::Channel.new.push(1)"],
    a_thread_that_waits_too: ["sleep_forever", "Thread.new { Thread::Queue.new.pop }.join"]
  }.freeze

  DEADLOCKS.each do |name, (words, code)|
    define_method(:"test_deadlock: #{name}") do
      out, status = run_program(<<~RUBY)
        Raffia.run { |scope| #{code} }
      RUBY
      refute_predicate status, :success?
      assert_match(/nothing can ever wake .* again: \(Raffia::Deadlock\)/, out)
      assert_includes out, words unless name == :two_mutexes && backend == :select
    end
  end

  def test_a_condition_variable
    skip "Ruby 3.3 does not say whose `wait` it is" if RUBY_VERSION < "3.4" && backend == :select
    out, = run_program("m = Mutex.new\nRaffia.run { m.synchronize { " \
      "ConditionVariable.new.wait(m) } }")
    assert_match(/nothing can .*Raffia::Deadlock.*a condition variable/m, out)
  end

  def test_the_block_may_rescue_it
    out, status = run_program(<<~RUBY)
      Raffia.run do |scope|
        2.times do |n|
          Thread::Queue.new.pop
        rescue Raffia::Deadlock => error
          puts error.parked.map(&:reason).inspect
        end
        puts "went on"
      end
    RUBY
    assert_predicate status, :success?, out
    assert_equal ["[:block]", "[:block]", "went on"], out.lines.map(&:chomp)
  end

  WAKES = {
    a_timer_of_a_thread: "Thread.new { sleep 0.05; queue << 1 }",
    a_thread_that_was_just_woken: "gate = Thread::Queue.new; Thread.new { gate.pop; queue << 1 " \
      "}; gate << 1",
    a_child: "scope.spawn { Process.wait(spawn('sleep 0.05')); queue << 1 }",
    a_listener: "server = TCPServer.new('127.0.0.1', 0); scope.spawn { server.accept; queue << 1 " \
      "}; Thread.new { sleep 0.05; TCPSocket.new('127.0.0.1', server.addr[1]) }",
    a_blocking_call: "scope.spawn { Raffia.offload { sleep 0.05; queue << 1 } }",
    another_ractor: "Thread.new { Ractor.new { sleep 0.05; 1 }.then { |ractor| queue << " \
      "(ractor.respond_to?(:value) ? ractor.value : ractor.take) } }",
    a_signal_handler: "trap(:USR1) { queue << 1 }; spawn(\"sleep 0.05; kill -USR1 \#$$\")",
    somebody_who_sleeps_for_a_signal: "scope.spawn { sleep }.tap { |task| trap(:USR1, " \
      "'DEFAULT'); Thread.new { sleep 0.05; task.cancel; queue << 1 } }"
  }.freeze

  WAKES.each do |name, code|
    define_method(:"test_no_deadlock: #{name}") do
      out, status = run_program(<<~RUBY)
        queue = Thread::Queue.new
        Raffia.run { |scope| #{code}; queue.pop }
        puts "went on"
      RUBY
      assert_predicate status, :success?, out
      assert_equal "went on\n", out
    end
  end

  def test_report_and_off
    program = 'queue = Thread::Queue.new; trap(:USR1) { queue << 1 }; at_exit { puts "over" }; ' \
      'Raffia.run(deadlock: MODE) { puts "ready"; 2.times { queue.pop } }'
    reporting = program.sub("MODE", ":report")
      .sub("2.times { queue.pop }", "queue.pop; spawn(\"sleep 0.1; kill -USR1 \#$$\"); queue.pop")
    said = "raffia: nothing can ever wake this fiber again, unless a signal handler does:"
    out, = ruby(head + reporting, signals: [["ready", 0], [said, :USR1]])
    assert_match(/\A  #1/, out)
    refute_includes out, said, "it is said once"
    assert_match(/over\n\z/, out)
    out, status = ruby(head + program.sub("MODE", ":off").sub("trap(:USR1) { queue << 1 };", ""),
      signals: [["ready", :TERM]])
    assert_equal "over\n", out
    assert_equal Signal.list["TERM"], status.termsig
  end

  def test_settings
    out, = ruby("#{head}Raffia.run { Thread::Queue.new.pop }", {"RAFFIA_DEADLOCK" => "loud"})
    assert_match(/RAFFIA_DEADLOCK=loud means nothing here: use one of raise, report, off/, out)
    assert_match(/:loud means nothing/,
      assert_raises(Raffia::ConfigError) { Raffia.run(backend: backend, deadlock: :loud) { flunk } }
        .message)
  end

  private

  def head
    "$stdout.sync = true; require \"raffia\"; require \"socket\"; Warning[:experimental] = false\n"
  end

  def run_program(code) = ruby("#{head}#{code}")
end

SchedulerCase.run(RunDeadlockSuite)
