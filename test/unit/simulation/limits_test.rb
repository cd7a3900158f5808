# frozen_string_literal: true

require "test_helper"
require "raffia/simulation"

# Runs that make no progress, and runs that never end.
class SimulationLimitsTest < Raffia::TestCase
  Simulation = Raffia::Simulation
  OPTIONS = {runs: 20, seed: 1, max_steps: 200, real_limit: 0.5}.freeze

  def test_threads_that_wait_for_each_other_without_a_wait
    error = failure do
      2.times.map { Thread.new { Thread.pass until @never } }.each(&:join)
    end.error
    assert_instance_of Simulation::Livelock, error
    assert_match(/main\/1 runs\n\s+at .*limits_test.rb/, error.message)
    assert_match(/main\/2 runs/, error.message)
  end

  def test_a_thread_that_waits_for_time_without_a_sleep
    assert_instance_of Simulation::Livelock, failure { |sim| Thread.pass while sim.now < 1 }.error
    assert_nil failure { |sim| sleep 0.1 while sim.now < 1 }
  end

  def test_a_livelock_of_an_unfair_schedule_is_a_warning
    report = explore(strategy: :pct, runs: 50) do
      done = false
      waiter = Thread.new { step until done }
      done = true
      waiter.join
    end
    assert_nil report.failure
    assert_match(/only an unfair scheduler/, report.warnings.first)
  end

  def test_threads_that_pass_do_not_starve_others
    report = explore(strategy: :pct, runs: 100) do
      done = false
      waiter = Thread.new { Thread.pass until done }
      done = true
      waiter.join
    end
    assert_nil report.failure
    assert_empty report.warnings
  end

  def test_an_endless_loop_ends_with_its_place
    error = failure { Thread.new { nil until @never }.join }.error
    assert_instance_of Simulation::LimitReached, error
    assert_match(/more than 0.5 s of real time.*at .*limits_test.rb:#{__LINE__ - 2}/m,
      error.message)
  end

  def test_a_real_wait_ends
    assert_instance_of Simulation::LimitReached, failure { |sim| sim.real { sleep } }.error
  end

  def test_a_loop_that_rescues_everything_ends_the_exploration
    assert_no_leaks do
      assert_raises(Simulation::LimitReached) do
        explore(real_limit: 0.1) do
          nil until @never
        rescue Exception # standard:disable Lint/RescueException
          retry
        end
      end
    end
    assert_nil Simulation::World.active
  end

  def test_an_interrupt_of_the_caller_ends_the_exploration
    seed = Random.srand(7)
    started = Queue.new
    assert_no_leaks do
      caller = Thread.current
      killer = Thread.new { started.pop && caller.raise(Interrupt) }
      assert_raises(Interrupt) do
        explore(real_limit: nil) do |sim|
          sim.real { started.push(1) }
          nil until @never
        end
      end
      killer.join
    end
    assert_nil Simulation::World.active
    assert_equal 7, Random.srand(seed)
    assert_equal 1, Simulation.run { |sim| sleep(1) && sim.now.to_i }
  end

  private

  def step = nil

  def explore(**options, &) = Simulation.explore(**OPTIONS, **options, &)

  def failure(...) = explore(...).failure
end
