# frozen_string_literal: true

require "test_helper"
require "raffia/simulation"

class SimulationInvariantsTest < Raffia::TestCase
  Simulation = Raffia::Simulation

  def test_an_invariant_that_breaks_between_two_steps
    error = failure do |sim|
      transfer(sim) { |from, to| (from[:all] -= 1) && step && to[:all] += 1 }
    end
    assert_instance_of Simulation::InvariantViolation, error
    assert_equal %(the invariant "no money is lost" does not hold), error.message
    assert_nil failure { |sim| transfer(sim) { |from, to| from[:all] = (to[:all] += 1) && 1 } }
  end

  def test_an_error_in_an_invariant_is_the_error_of_the_run
    error = failure do |sim|
      sim.invariant("broken") { raise ArgumentError, "oh" }
      sleep 1
    end
    assert_instance_of ArgumentError, error
  end

  def test_an_invariant_must_not_wait
    error = failure do |sim|
      sim.invariant("waits") { Queue.new.pop }
      sleep 1
    end
    assert_match(/must not wait/, error.message)
  end

  def test_an_invariant_needs_a_block
    assert_match(/needs a block/, failure { |sim| sim.invariant("nothing") }.message)
  end

  def test_eventually
    error = failure { |sim| sim.eventually(within: 10) { sim.now > 11 } }
    assert_instance_of Simulation::LivenessViolation, error
    assert_equal "what must happen within 10 s has not happened", error.message
    assert_nil failure { |sim|
      sim.at(9) { @done = :yes }
      raise "another value" unless sim.eventually(within: 10) { @done } == :yes
      raise "late" if sim.now > 10
    }
  end

  def test_a_lost_wake_up_that_a_time_limit_hides_is_a_warning
    report = Simulation.explore(runs: 200, seed: 1) { hand_over(locked: false) }
    assert_nil report.failure
    assert_match(/\Alost wake-up: a wait for a ConditionVariable took all of its 5 s at /,
      report.warnings.first)
    assert_empty Simulation.explore(runs: 200, seed: 1) { hand_over(locked: true) }.warnings
  end

  def test_an_idle_worker_that_looks_every_second_has_lost_nothing
    report = Simulation.explore(runs: 50, seed: 1) do
      lock = Mutex.new
      filled = ConditionVariable.new
      items = []
      filled.signal
      worker = Thread.new { lock.synchronize { filled.wait(lock, 1) while items.empty? } }
      sleep 2.5
      lock.synchronize { items.push(1) && filled.signal }
      worker.join
    end
    assert_empty report.warnings
  end

  def test_a_signal_that_nothing_waited_for_and_waits_that_end_differently
    report = Simulation.explore(runs: 5, seed: 1) do
      lock = Mutex.new
      changed = ConditionVariable.new
      changed.signal
      first = Thread.new { lock.synchronize { changed.wait(lock) } }
      sleep 1
      second = Thread.new { lock.synchronize { changed.wait(lock, 2) } }
      sleep 1
      changed.signal
      [first, second].each(&:join)
    end
    assert_nil report.failure
  end

  private

  def step = true

  def transfer(sim)
    from, to = {all: 1}, {all: 0}
    sim.invariant("no money is lost") { from[:all] + to[:all] >= 1 }
    Array.new(2) { Thread.new { step } }.each(&:join)
    thread = Thread.new { yield from, to }
    step
    thread.join
  end

  def hand_over(locked:)
    lock = Mutex.new
    filled = ConditionVariable.new
    items = []
    taker = Thread.new do
      lock.synchronize do
        step
        filled.wait(lock, 5) if items.none?
      end
    end
    give = lambda do
      items.push(1)
      filled.signal
    end
    locked ? lock.synchronize(&give) : give.call
    taker.join
  end

  def failure(&) = Simulation.explore(runs: 300, seed: 1, &).failure&.error
end
