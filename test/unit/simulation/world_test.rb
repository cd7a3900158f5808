# frozen_string_literal: true

require "test_helper"
require "securerandom"
require "raffia/simulation"

# Runs of a world: time, determinism, what is found at its end, and what it refuses.
class SimulationWorldTest < Raffia::TestCase
  def test_time_moves_only_when_nothing_can_run
    result = Raffia::Simulation.run do |sim|
      start = [Time.now, sim.now]
      100_000.times { |number| number + 1 }
      busy = sim.now
      sleep 3_600
      [start, busy, sim.now, Time.now]
    end
    assert_equal [[Time.utc(2000), 0.0], 0.0, 3_600.0, Time.utc(2000, 1, 1, 1)], result
  end

  # The rest that rounding leaves ends an instant later.
  def test_a_wait_of_less_than_a_nanosecond_ends
    later = Raffia::Simulation.run do |sim|
      limit = sim.now + 1e-12
      sleep(limit - sim.now) while sim.now < limit
      sim.now
    end
    assert_operator later, :>, 0
  end

  def test_the_start_can_be_any_time
    start = Time.utc(2038, 1, 19, 3, 14, 7)
    assert_equal start + 2, Raffia::Simulation.run(start: start) { sleep(2) && Time.now }
  end

  def test_equal_seeds_give_equal_runs
    runs = Array.new(2) do
      Raffia::Simulation.explore(runs: 300, seed: 5, strategy: :random) { busy_program }.failure
    end
    assert_equal runs[0].run, runs[1].run
    assert_equal runs[0].error.message, runs[1].error.message
    assert_equal runs[0].seed, runs[1].seed
  end

  def test_random_numbers_come_from_the_seed
    draw = -> { [rand, Random.new.rand, SecureRandom.hex, [1, 2, 3, 4, 5].shuffle, Random.rand(9)] }
    one, same, other = [1, 1, 2].map { |seed| Raffia::Simulation.run(seed: seed) { draw.call } }
    assert_equal one, same
    refute_equal one, other
  end

  def test_threads_that_are_left_are_found
    error = failure { Thread.new { sleep } }
    assert_instance_of Raffia::Simulation::Leak, error
    assert_match(%r{main/1}, error.message)
    assert_equal 1, Raffia::Simulation.run(ignore: [:leaks]) { Thread.new { sleep } && 1 }
    assert_equal 1, Raffia::Simulation.run { |sim| sim.daemon(Thread.new { sleep }) && 1 }
  end

  def test_threads_that_can_end_are_not_left
    assert_equal 1, Raffia::Simulation.run { Thread.new { Thread.pass } && 1 }
  end

  def test_errors_that_nobody_has_seen_are_found
    error = failure { Thread.new { raise IOError, "unseen" } && sleep(1) }
    assert_instance_of Raffia::Simulation::Unjoined, error
    assert_equal "unseen", error.cause.message
  end

  def test_ensure_blocks_of_left_threads_run
    events = []
    Raffia::Simulation.run(ignore: [:leaks]) do
      Thread.new do
        sleep
      ensure
        events << :before_a_wait
        sleep 1
        events << :after_a_wait
      end
      Thread.pass
    end
    assert_equal [:before_a_wait], events
  end

  def test_a_deadlock_is_found
    error = failure do
      locks = Array.new(2) { Mutex.new }
      [locks, locks.reverse].map { |a, b|
        Thread.new { a.synchronize { sleep(1) && b.synchronize {} } }
      }.each(&:join)
    end
    assert_instance_of Raffia::Simulation::Deadlock, error
    assert_match(%r{main/1.*Mutex.*main/2.*Mutex}m, error.message)
  end

  def test_a_deadlock_names_threads_that_ended_with_an_error
    error = failure do
      queue = Thread::Queue.new
      Thread.new { queue.push(nil.size) }
      queue.pop
    end
    assert_instance_of Raffia::Simulation::Deadlock, error
    assert_match(/ended with an error:\n +main\/1: NoMethodError.*world_test\.rb/, error.message)
  end

  def test_a_livelock_is_found
    assert_instance_of Raffia::Simulation::Livelock, failure(max_steps: 200) {
      Array.new(2) { Thread.new { loop { Thread.pass } } }.each(&:join)
    }
  end

  def test_a_limit_of_virtual_time_is_neither
    assert_instance_of Raffia::Simulation::LimitReached, failure(virtual_limit: 60) {
      loop { sleep 1 }
    }
  end

  def test_what_is_outside_is_refused_even_if_rescued
    {"fork" => -> { fork {} }, "spawn" => -> { spawn("true") }, "`" => -> { `true` },
     "IO.popen" => -> { IO.popen("true") }, "Ractor.new" => -> { Ractor.new {} },
     "Process.spawn" => -> { Process.spawn("true") }}.each do |name, action|
      error = failure do
        action.call
      rescue
        nil
      end
      assert_instance_of Raffia::Simulation::NotSimulated, error, name
      assert_match(/\A#{Regexp.escape(name)} starts a .*sim\.real/, error.message)
    end
  end

  def test_what_is_outside_can_be_allowed
    assert_equal "hi\n", Raffia::Simulation.run { |sim| sim.real { `echo hi` } }
    assert_equal "hi\n", Raffia::Simulation.run(allow: [:processes]) { |sim| `echo hi` }
  end

  def test_the_real_world_is_back_afterwards
    Raffia::Simulation.run { sleep 1 }
    assert_instance_of Thread, Thread.current
    assert_operator Time.now.year, :>, 2024
    assert_nil Fiber.scheduler
    assert_nil Raffia::Simulation::World.active
  end

  def test_an_error_of_the_block_is_the_cause
    error = assert_raises(Raffia::Simulation::Failed) do
      Raffia::Simulation.run(seed: 3) { raise IOError, "mine" }
    end
    assert_instance_of IOError, error.cause
    assert_match(/seed 3.*IOError: mine/, error.message)
  end

  def test_one_simulation_at_a_time
    error = failure { |sim| sim.real { Raffia::Simulation.run { 1 } } }
    assert_match(/runs already/, error.message)
  end

  def test_wrong_options
    {{preempt: :often} => /preempt: :often.*:cruby/, {ignore: [:all]} => /ignore: :all.*:leaks/,
     {allow: [:all]} => /allow: :all.*:processes/, {strategy: :best} => /no strategy :best/,
     {speed: 1} => /no option :speed/}.each do |options, message|
      error = assert_raises(Raffia::ConfigError) { Raffia::Simulation.run(**options) { 1 } }
      assert_match message, error.message
    end
    assert_raises(Raffia::ConfigError) { Raffia::Simulation.explore }
  end

  def test_raffia_run_inside
    order = Raffia::Simulation.run do
      Raffia.run do |scope|
        [3, 1, 2].map { |seconds| scope.spawn { sleep(seconds) && seconds } }.map(&:value)
      end
    end
    assert_equal [3, 1, 2], order
  end

  def test_several_threads_each_with_raffia_run
    result = Raffia::Simulation.run do
      channel = Raffia::Channel.new(1)
      sender = Thread.new { Raffia.run { 3.times { |item| channel.push(item) } && channel.close } }
      receiver = Thread.new { Raffia.run { channel.to_a } }
      sender.join
      receiver.value
    end
    assert_equal [0, 1, 2], result
  end

  private

  def failure(**options, &)
    assert_raises(Raffia::Simulation::Failed) { Raffia::Simulation.run(**options, &) }.cause
  end

  def busy_program
    log = []
    Array.new(3) { |number|
      Thread.new do
        3.times do
          log.push(number)
          sleep(rand(3))
        end
      end
    }.each(&:join)
    raise "order #{log.join}" if log.first(3) == [2, 1, 0]
  end
end
