# frozen_string_literal: true

require "test_helper"
require "raffia/simulation"
require "monitor"

class SimulationWaitReportTest < Raffia::TestCase
  Simulation = Raffia::Simulation

  def test_a_cycle_of_locks_comes_first
    message = deadlock { two_locks(Mutex.new, Mutex.new) { |a, b| [b, a] } }
    cycle, others = message.split("waiting:")
    assert_match(/in a cycle:.*main\/\d waits for a Mutex that main\/\d holds/m, cycle)
    assert_operator cycle.scan(/at .*wait_report_test\.rb:\d+/).size, :>=, 2
    assert_match(/main waits for the end of thread main\/\d/, others)
    assert_clean { two_locks(Mutex.new, Mutex.new) { |a, b| [a, b] } }
  end

  def test_monitors
    assert_match(/in a cycle:.*that main\/\d holds/m,
      deadlock { two_locks(Monitor.new, Monitor.new) { |a, b| [b, a] } })
  end

  def test_a_lock_that_its_thread_holds_in_another_fiber
    message = deadlock do
      lock = Mutex.new
      Thread.new { lock.synchronize { Enumerator.new { lock.lock }.next } }.join
    end
    assert_match(/main\/1 waits for a Mutex that it holds itself/, message)
  end

  def test_names
    message = deadlock do
      thread = Thread.new { Queue.new.pop }
      thread.name = "taker"
      thread.join
    end
    assert_match(/main\/1 \(taker\) waits for an item of a Queue, which is empty/, message)
  end

  def test_a_full_queue
    assert_match(/a place in a Thread::SizedQueue, which is full \(1\)/,
      deadlock { SizedQueue.new(1).push(1).push(2) })
  end

  def test_daemons_may_wait_for_ever
    assert_clean do |sim|
      sim.daemon(Thread.new { Queue.new.pop })
      sleep 1
    end
    refute_match(/main\/1/, deadlock { |sim|
      sim.daemon(Thread.new { Queue.new.pop })
      sleep
    })
  end

  def test_fibers_of_a_scheduler
    message = deadlock do
      Raffia.run do |scope|
        first = nil
        second = scope.spawn { sleep(1) && first.join }
        first = scope.spawn { second.join }
      end
    end
    assert_match(/in a cycle:\s+main\.\d waits for the end of the task of main\.\d/, message)
  end

  def test_waits_for_something_of_raffia
    message = deadlock do
      Raffia.run do |scope|
        scope.spawn { Raffia::Semaphore.new(1).tap(&:acquire).acquire }
        scope.spawn { Raffia::Channel.new(1).pop }
      end
    end
    assert_match(/main\.\d waits for a semaphore of Raffia\n\s+at .*wait_report_test/, message)
    assert_match(/main\.\d waits for a channel of Raffia/, message)
    assert_match(/main\.\d waits for a scope of Raffia/, message)
  end

  def test_a_lost_wake_up
    message = deadlock do
      lock = Mutex.new
      filled = ConditionVariable.new
      items = []
      taker = Thread.new { lock.synchronize { filled.wait(lock) } }
      items << 1
      filled.signal
      taker.join
    end
    assert_match(/main had signalled it at 0.0 s, at \S+:\d+.*a lost wake-up/, message)
  end

  def test_threads_that_are_left
    error = failure { Thread.new { Queue.new.pop } }.error
    assert_instance_of Simulation::Leak, error
    assert_match(/main\/1, started at .*wait_report_test\.rb:#{__LINE__ - 2}$/, error.message)
    assert_match(/main\/1 waits for an item of a Queue/, error.message)
  end

  def test_threads_that_are_left_in_a_cycle
    message = deadlock do
      first, second = Mutex.new, Mutex.new
      [[first, second], [second, first]].each do |a, b|
        Thread.new { a.synchronize { sleep(1) && b.synchronize { step } } }
      end
      sleep 5
    end
    assert_match(/were left .*wait for each other for ever:\s+in a cycle:\s+main\/\d waits/,
      message)
  end

  def test_an_error_at_a_time_ends_the_run
    reached = false
    error = failure do |sim|
      sim.at(1) { raise ArgumentError, "broken" }
      sleep 2
      reached = true
    end.error
    assert_instance_of ArgumentError, error
    refute reached
  end

  def test_the_virtual_limit_shows_what_waits
    error = failure(virtual_limit: 10) { loop { sleep 3 } }.error
    assert_instance_of Simulation::LimitReached, error
    assert_match(/main waits for 3 s to pass\n\s+at .*wait_report_test\.rb/, error.message)
  end

  private

  # The threads take the locks in the order that the block gives.
  def two_locks(first, second)
    [[first, second], yield(first, second)].map { |a, b|
      Thread.new { a.synchronize { step.then { b.synchronize { step } } } }
    }.each(&:join)
  end

  def step = nil

  def failure(**options, &)
    found = Simulation.explore(runs: 500, seed: 1, **options, &).failure
    refute_nil found, "nothing was found"
    found
  end

  def deadlock(&)
    error = failure(&).error
    assert_instance_of Simulation::Deadlock, error
    error.message
  end

  def assert_clean(&)
    found = Simulation.explore(runs: 300, seed: 1, &).failure
    assert_nil found, found&.message
  end
end
