# frozen_string_literal: true

require "test_helper"
require "raffia/pool"

class OffloadTest < Raffia::TestCase
  def offload(**options)
    assert_no_leaks do
      pool = Raffia::Executor::Threads::BlockingPool.new(**options)
      yield pool
    ensure
      pool.shutdown
    end
  end

  def test_the_block_runs_on_another_thread
    offload do |pool|
      refute_same(Thread.current, pool.call { Thread.current })
      assert_equal(3, pool.call { 1 + 2 })
    end
  end

  def test_errors_come_back_with_both_backtraces
    offload do |pool|
      error = assert_raises(ArgumentError) { pool.call { raise ArgumentError, "no" } }
      assert_includes(error.backtrace.first, __method__.to_s)
      assert_equal(caller.last, error.backtrace.last)
    end
  end

  def test_there_are_never_more_threads_than_the_bound
    offload(max: 2) do |pool|
      gate = Thread::Queue.new
      callers = Array.new(6) { |n| Thread.new { pool.call { gate.pop && n } } }
      wait_until { pool.stats == {threads: 2, idle: 0, waiting: 4, max: 2} }
      6.times { gate << true }
      assert_equal((0..5).to_a, callers.map(&:value))
    end
  end

  def test_a_call_from_its_own_thread_runs_there
    offload(max: 1) do |pool|
      assert(pool.call {
        inner = Thread.current
        pool.call { Thread.current.equal?(inner) }
      })
    end # standard:disable Style/Semicolon
  end

  def test_threads_end_when_idle_and_come_back
    offload(max: 1, idle: 0.01) do |pool|
      100.times { |n| assert_equal(n, pool.call { n }) }
      wait_until { pool.stats[:threads].zero? }
      assert_equal(:again, pool.call { :again })
    end
  end

  # Calls that come in the moment in which the only thread retires.
  def test_no_call_is_stranded_by_a_retiring_thread
    offload(max: 1, idle: 0) { |pool| 500.times { |n| assert_equal(n, pool.call { n }) } }
  end

  def test_an_interrupted_caller_leaves_at_once_and_a_waiting_call_is_never_begun
    offload(max: 1) do |pool|
      gate = Thread::Queue.new
      ran = []
      busy = Thread.new { pool.call { gate.pop } }
      wait_until { pool.stats[:threads] == 1 && pool.stats[:waiting].zero? }
      waiting = Thread.new { pool.call { ran << :never } }
      waiting.report_on_exception = false
      wait_until { pool.stats[:waiting] == 1 }
      waiting.raise(Interrupt)
      assert_raises(Interrupt) { waiting.join(PATIENCE) }
      gate << :done
      assert_equal(:done, busy.value)
      assert_equal(:next, pool.call { :next })
      assert_empty(ran)
    end
  end

  def test_a_forked_child_has_threads_of_its_own
    offload do |pool|
      pool.call { 1 }
      assert_equal(7, ::Process.wait2(fork { exit!(pool.call { 7 }) }).last.exitstatus)
    end
  end

  def test_fiber_storage_of_the_first_caller_does_not_stay
    offload do |pool|
      Fiber[:raffia_test] = :mine
      assert_nil(pool.call { Fiber[:raffia_test] })
    ensure
      Fiber[:raffia_test] = nil
    end
  end

  def test_nothing_is_taken_after_shutdown
    pool = Raffia::Executor::Threads::BlockingPool.new
    pool.shutdown
    error = assert_raises(Raffia::Closed) { pool.call { 1 } }
    assert_match(/shut down/, error.message)
  end

  def test_shutdown_with_a_timeout_tells_whether_all_have_ended
    gate = Thread::Queue.new
    offload do |pool|
      caller = Thread.new { pool.call { gate.pop } }
      wait_until { pool.stats[:threads] == 1 }
      refute(pool.shutdown(0))
      gate << true
      caller.join
    end
  end
end
