# frozen_string_literal: true

require_relative "../scheduler/scheduler_case"

module RunSuite
  Boom = Class.new(StandardError)

  def test_it_returns_the_value_of_its_block
    assert_equal 7, run_it { 7 }
    assert_nil run_it { nil }
    assert_equal([1, 2],
      run_it { |scope| [1, 2].map { |i| scope.spawn { sleep(0.001) && i } }.map(&:value) })
    assert_nil Fiber.scheduler
  end

  def test_it_ends_after_all_tasks
    done = []
    run_it { |scope| 3.times { |i| scope.spawn { sleep(0.001) && done << i } } }
    assert_equal [0, 1, 2], done.sort
  end

  def test_it_ends_after_fibers_without_an_owner
    done = []
    run_it { Fiber.schedule { sleep(0.002) && done << 1 } }
    assert_equal [1], done
  end

  def test_each_exit_callback_runs_even_if_another_fails
    told = []
    error = assert_raises(RuntimeError) do
      Raffia.run do
        session = Raffia::Run::Session.current
        session.at_end { |killed| told << [:first, killed] }
        session.at_end { raise "the second" }
        session.at_end { |killed| told << [:third, killed] }
      end
    end
    assert_equal ["the second", [[:third, false], [:first, false]]], [error.message, told]
  end

  def test_nested
    run_it do |outer|
      scheduler = Fiber.scheduler
      inner = Raffia.run do |scope|
        refute_same outer, scope
        assert_same scheduler, Fiber.scheduler
        scope.spawn { sleep(0.001) && :inner }.value
      end
      assert_equal :inner, inner
      assert_equal(:task, outer.spawn { Raffia.run { :task } }.value)
      assert_raises(Boom) { Raffia.run { |scope| scope.spawn { raise Boom } } }
    end
  end

  def test_the_back_end
    assert_equal(backend, run_it { Fiber.scheduler.backend })
    assert_equal(backend,
      assert_no_leaks { Raffia.run(backend: backend.to_s) { Fiber.scheduler.backend } })
    assert_match(/kqueue9/,
      assert_raises(Raffia::ConfigError) { Raffia.run(backend: :kqueue9) { flunk } }.message)
    run_it do
      assert_match(/too late/,
        assert_raises(Raffia::ConfigError) { Raffia.run(backend: :select) { flunk } }.message)
    end
    assert_raises(Raffia::ConfigError) { Raffia.run(backend: backend) }
    assert_nil Fiber.scheduler
  end

  def test_inside_of_another_librarys_scheduler
    require "async"
    assert_no_leaks do
      result = Thread.new do
        value = nil
        Fiber.set_scheduler(Async::Scheduler.new)
        Fiber.schedule do
          value = Raffia.run do |scope|
            [scope.spawn { sleep(0.001) && 7 }.value, Raffia.offload { 8 }]
          end
        end
        Fiber.set_scheduler(nil)
        value
      end.value
      assert_equal [7, 8], result
    end
  end

  def test_in_a_fiber_that_blocks
    in_thread do
      with_scheduler do
        assert_match(/this fiber blocks/,
          assert_raises(Raffia::Error) { Raffia.run { flunk } }.message)
        assert_raises(Raffia::Error) { Fiber.new(blocking: true) { Raffia.run { flunk } }.resume }
      end
    end
  end

  def test_the_first_error_is_raised_and_the_tasks_are_cancelled
    cleaned = []
    error = assert_raises(Boom) do
      run_it do |scope|
        2.times do |i|
          scope.spawn do
            sleep
          ensure
            cleaned << i
          end
        end
        raise Boom, "in the block"
      end
    end
    assert_equal "in the block", error.message
    assert_equal [0, 1], cleaned.sort
    assert_raises(Boom) { run_it { |scope| scope.spawn { sleep(0.001) && raise(Boom) } && sleep } }
    assert_raises(SystemExit) { run_it { exit } }
    assert_raises(NoMemoryError) { run_it { raise NoMemoryError } }
  end

  def test_jumps_out_of_the_block
    cleaned = 0
    task = lambda do |scope|
      scope.spawn do
        sleep
      ensure
        cleaned += 1
      end
    end
    assert_raises(LocalJumpError) { run_it { |scope| task.call(scope) && break } }
    assert_raises(UncaughtThrowError) do
      catch(:ball) { run_it { |scope| task.call(scope) && throw(:ball) } }
    end
    assert_equal(:next, run_it { |_| next :next })
    assert_equal 2, cleaned
    assert_raises(LocalJumpError) { returning }
  end

  # Ruby's own message says neither why, nor what to write instead.
  def test_messages_of_jumps_out_of_the_block
    error = assert_raises(LocalJumpError) { Raffia.run { break 1 } }
    advice = "which break cannot leave. End the block with `next value`"
    assert_match(
      /break from proc-closure: .*fibers of their own, #{Regexp.escape(advice)}/, error.message
    )
    error = assert_raises(LocalJumpError) { return_from_a_task }
    assert_match(/which return cannot leave/, error.message)
    assert_match(/return_from_a_task/, error.backtrace.first)
    assert_equal 2, Raffia.run { next 2 }
  end

  def return_from_a_task
    Raffia.run { |scope| scope.spawn { return 1 } }
  end

  def test_an_error_of_a_fiber_without_an_owner
    cleaned = false
    assert_raises(Boom) do
      run_it do |scope|
        scope.spawn do
          sleep
        ensure
          cleaned = true
        end
        Fiber.schedule { sleep(0.001) && raise(Boom) }
        sleep
      end
    end
    assert cleaned
  end

  # A prompt, or a program that looks after others, continues.
  def test_errors_of_fibers_without_an_owner_in_quick_succession
    errors = run_it do
      3.times { |number| Fiber.schedule { sleep(0.001) && raise(Boom, number.to_s) } }
      Array.new(3) do
        sleep
      rescue Boom => error
        error.message
      end
    end
    assert_equal %w[0 1 2], errors.sort
  end

  def test_a_block_that_has_rescued_one_still_ends_its_fibers_by_a_signal
    cleaned = 0
    assert_raises(Interrupt) do
      run_it do
        Fiber.schedule { sleep(0.001) && raise(Boom) }
        begin
          sleep
        rescue Boom
          2.times do
            Fiber.schedule do
              sleep
            ensure
              sleep(0.001)
              cleaned += 1
            end
          end
        end
        raise Interrupt
      end
    end
    assert_equal 2, cleaned
  end

  # With Thread.abort_on_exception core raises the error in the main thread, besides.
  def test_an_error_that_was_rescued_at_join_is_not_raised_again
    out, = ruby(<<~RUBY)
      require "raffia"
      Thread.abort_on_exception = true
      Thread.report_on_exception = false
      failing = -> { Thread.new { sleep(0.01) && Integer("x") } }
      log = ->(name, &work) { begin; work.call; rescue ArgumentError; puts name; end }
      Raffia.run do |scope|
        log.call("join") { failing.call.join }
        log.call("value") { failing.call.value }
        log.call("within a time") { failing.call.join(60) }
        3.times { log.call("again") { sleep(0.01) } }
        log.call("nobody joins") { failing.call && sleep(60) }
        log.call("another thread is joined") { failing.call && Thread.new { sleep }.join }
        log.call("again") { sleep(0.01) }
        puts "end"
      end
    RUBY
    assert_equal ["join", "value", "within a time", "nobody joins", "another thread is joined",
      "end"], out.lines(chomp: true)
  end

  def test_thread_raise_reaches_the_block
    in_thread do
      cleaned = []
      main = Thread.current
      error = assert_raises(Boom) do
        Raffia.run(backend: backend) do |scope|
          scope.spawn do
            sleep
          ensure
            sleep(0.001)
            cleaned << :task
          end
          Thread.new { main.raise(Boom, "from outside") }
          sleep
        ensure
          cleaned << :block
        end
      end
      assert_equal "from outside", error.message
      assert_equal %i[block task], cleaned.sort
    end
  end

  def test_thread_kill_waits_for_the_clean_up
    assert_no_leaks do
      seen = Thread::Queue.new
      thread = Thread.new do
        Raffia.run(backend: backend) do |scope|
          scope.spawn do
            seen << :started
            sleep
          ensure
            sleep(0.001)
            seen << :task
          end
          Fiber.schedule do
            sleep
          ensure
            seen << :stray
          end
          sleep
        ensure
          seen << :block
        end
        seen << :not_reached
      end
      wait_until { seen.size == 1 && thread.stop? }
      thread.kill
      assert thread.join(Raffia::TestCase::PATIENCE), "it hangs"
      assert_equal %i[block started stray task], Array.new(seen.size) { seen.pop }.sort
    end
  end

  def test_a_signal_ends_the_tasks_and_then_the_process
    out, status = ruby(<<~RUBY, signals: [["ready", :INT]])
      $stdout.sync = true
      require "raffia"
      Raffia.run do |scope|
        2.times { |i| scope.spawn { begin; sleep; ensure; sleep 0.001; puts "task \#{i}"; end } }
        begin
          puts "ready"
          sleep
        ensure
          puts "block"
        end
      end
      puts "not reached"
    RUBY
    assert_equal %w[INT], [status.termsig].compact.map { |number| Signal.signame(number) }, out
    assert_equal ["block", "task 0", "task 1"],
      out.lines.map(&:chomp).grep(/\A(block|task|not)/).sort
  end

  def test_a_second_signal_does_not_wait
    out, status = ruby(<<~RUBY, signals: [["ready", :INT], ["cleaning", :INT]])
      $stdout.sync = true
      require "raffia"
      Raffia.run do |scope|
        scope.spawn do
          sleep
        ensure
          Thread.new { sleep 0.02; puts "cleaning" }
          sleep 100
          puts "not reached"
        end
        Fiber.schedule { Raffia.offload { sleep 100 } }
        puts "ready"
        sleep
      end
    RUBY
    assert_equal %w[INT], [status.termsig].compact.map { |number| Signal.signame(number) }, out
    refute_includes out, "not reached"
  end

  def test_in_several_threads
    assert_no_leaks do
      threads = Array.new(3) do |n|
        Thread.new do
          Raffia.run(backend: backend) do |scope|
            Array.new(20) { |i| scope.spawn { sleep(0.0005) && i * n } }.sum(&:value)
          end
        end
      end
      assert_equal [0, 190, 380], threads.map(&:value)
    end
  end

  # -- offload

  def test_offload_outside_of_a_scheduler
    here = Thread.current
    assert_same(here, Raffia.offload { Thread.current })
    assert_raises(Boom) { Raffia.offload { raise Boom } }
    assert_raises(Raffia::ConfigError) { Raffia.offload }
  end

  # Users' calls may take as long as they like.
  def test_calls_that_block_for_long_do_not_hold_up_core
    Raffia.run(backend: backend) do |scope|
      gate = Thread::Queue.new
      calls = Array.new(Raffia::Executor::Threads::BlockingPool.new.max) do
        scope.spawn { Raffia.offload { gate.pop } }
      end
      assert_equal __FILE__, Raffia.timeout(10) { File.open(__FILE__, &:path) }
      calls.each { gate << 1 }
    end
  end

  def test_offload
    run_it do |scope|
      turns = 0
      gate = Thread::Queue.new
      scope.spawn { 3.times { sleep(0.0005) && turns += 1 } && gate << true }
      refute_same(Thread.current, Raffia.offload { gate.pop && Thread.current })
      assert_equal 3, turns
      assert_raises(Boom) { Raffia.offload { raise Boom } }
      assert_equal([0, 1, 4], Array.new(3) { |i| scope.spawn { Raffia.offload { i * i } } }
        .map(&:value))
    end
  end

  def test_offload_is_left_at_once_by_an_interrupt
    gate = Thread::Queue.new
    begun = []
    ended = []
    work = -> { begun << true && ended << gate.pop }
    run_it do |scope|
      assert_raises(Raffia::TimeoutError) { Raffia.timeout(0.005) { Raffia.offload(&work) } }
      task = scope.spawn { Raffia.offload(&work) }
      task.cancel
      task.join
      assert_equal :cancelled, task.status
      assert_empty ended
      2.times { gate << true }
    end
    assert_equal begun, ended, "the run waits for what has begun"
  end

  def test_callbacks_of_a_fork_do_not_wait_in_the_parents_loop
    need_fork
    # is offloaded since Ruby 3.4; and it is older than the scheduler
    handle = Raffia::Fork.after_child { File.open(File::NULL).close }
    status = run_it do
      pid = fork { exit!(7) }
      exit!(8) if pid.nil?
      ::Process.wait2(pid).last
    end
    assert_equal(7, status.exitstatus)
  ensure
    handle&.remove
  end

  private

  def run_it(&) = assert_no_leaks { Raffia.run(backend: backend, &) }

  def returning
    run_it { return :value }
  end
end

SchedulerCase.run(RunSuite)
