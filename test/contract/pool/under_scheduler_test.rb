# frozen_string_literal: true

require "raffia/pool"
require_relative "../task/task_case"

# Calls and pools on threads and processes, from a fiber of a running scheduler: the other fibers go
# on meanwhile, and the forked children have nothing of the scheduler.
module PoolUnderScheduler
  STRATEGIES = %i[threads processes].freeze

  # Turns of another fiber.
  ENOUGH = 5

  # Runs the block while another fiber counts. Work that waits until that has come far enough has
  # shown that it does.
  # @yieldparam far [IO] readable from then on, for threads and processes
  def while_counting
    count = 0
    counting = true
    far, tell = IO.pipe
    on_scheduler do
      Raffia::Scope.open do |scope|
        scope.spawn do
          while counting
            tell << "." if (count += 1) == ENOUGH
            sleep(0.001)
          end
        end
        yield far
      ensure
        counting = false
      end
    end
  ensure
    [far, tell].each(&:close)
  end

  def test_other_fibers_go_on_during_a_call
    STRATEGIES.each do |on|
      while_counting do |far|
        results = Raffia.map([1, 2, 3, 4], on: on, workers: 2, chunk: 1) do |n|
          far.wait_readable(Raffia::TestCase::PATIENCE) && n
        end
        assert_equal([1, 2, 3, 4], results, "on: #{on}")
      end
    end
  end

  def test_other_fibers_go_on_while_one_waits_for_a_future
    STRATEGIES.each do |on|
      while_counting do |far|
        work = proc { |n| far.wait_readable(Raffia::TestCase::PATIENCE) && n + 1 }
        Raffia::Pool.open(on: on, workers: 1, work: work) do |pool|
          assert_equal(3, pool.submit(2).value, "on: #{on}")
        end
      end
    end
  end

  def test_a_timeout_of_the_task_stops_the_call
    STRATEGIES.each do |on|
      while_counting do
        assert_raises(Raffia::TimeoutError) do
          Raffia.timeout(0.05) { Raffia.each(1.., on: on, workers: 2) { sleep(0.01) } }
        end
      end
    end
  end

  def test_a_cancelled_task_takes_its_call_along
    STRATEGIES.each do |on|
      on_scheduler do
        Raffia::Scope.open do |scope|
          task = scope.spawn { Raffia.each(1.., on: on, workers: 2) { sleep(0.01) } }
          sleep(0.05)
          task.cancel(:enough)
          assert_raises(Raffia::Cancelled) { task.value }
        end
      end
    end
  end

  def test_children_have_no_scheduler
    on_scheduler do
      assert_equal([[true, true]], Raffia.map([1],
        on: :processes) { [Fiber.scheduler.nil?, Fiber.current_scheduler.nil?] })
    end
  end

  # The source is read in the caller's fiber, so it may wait there.
  def test_the_input_may_wait_as_a_fiber_does
    on_scheduler do
      slow = Enumerator.new { |out| 3.times { |n| sleep(0.001) && out << n } }
      assert_equal([0, 2, 4], Raffia.map(slow, on: :threads, workers: 2) { |n| n * 2 })
    end
  end

  def test_offloaded_calls_do_not_stop_the_others
    while_counting do |far|
      offload = Raffia::Executor::Threads::BlockingPool.new(max: 2)
      assert_equal(:done, offload.call { far.wait_readable(Raffia::TestCase::PATIENCE) && :done })
    ensure
      offload.shutdown
    end
  end

  def test_an_offloading_fiber_that_is_interrupted_leaves_at_once
    while_counting do
      offload = Raffia::Executor::Threads::BlockingPool.new(max: 1)
      gate = Thread::Queue.new
      assert_raises(Raffia::TimeoutError) { Raffia.timeout(0.02) { offload.call { gate.pop } } }
    ensure
      gate << true
      offload.shutdown
    end
  end
end

TaskCase.run(PoolUnderScheduler)
