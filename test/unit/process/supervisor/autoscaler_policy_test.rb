# frozen_string_literal: true

require "test_helper"
require "raffia/process"
require "raffia/process/supervisor"

# The decisions of the autoscaler over simulated loads: no process, no clock.
class AutoscalerPolicyTest < Raffia::TestCase
  Autoscaler = Raffia::Process::Supervisor::Autoscaler

  # Workers that share a load. A worker is one that computes for `cpu` of its time, and behind which
  # requests wait for `wait` seconds, by a block that gets the time and their number.
  class Simulation
    attr_reader :size, :sizes, :reasons

    def initialize(range: 1..16, cpus: 16, boot: 3, size: range.begin, shrink_after: 300,
      memory: [nil, nil])
      @range = range
      @boot = boot
      @size = size
      @memory = memory
      @policy = Autoscaler::Policy.new(cpus: cpus, shrink_after: shrink_after)
      @now = 0
      @sizes = [size]
      @reasons = []
    end

    # One decision a second, and none while a worker starts.
    def run(seconds)
      seconds.times do
        @now += 1
        next @policy.reset if @booted_at && @now < @booted_at

        samples = Array.new(@size) { Autoscaler::Sample.new(**idle, **yield(@now, @size)) }
        decide(samples)
      end
      self
    end

    private

    def idle = {cpu: 0.0, wait: 0.0, occupancy: 0.0}

    def decide(samples)
      decision = @policy.decide(@now, samples, @range) { @memory } or return
      @reasons << decision.reason
      return if decision.change.zero?

      @policy.reset
      @booted_at = @now + @boot if decision.change.positive?
      @sizes << @size += decision.change
    end
  end

  def simulate(seconds, **options, &) = Simulation.new(**options).run(seconds, &)

  # So many clients that compute without a pause.
  def clients(count) = ->(_now, size) { {cpu: [count / size.to_f, 1.0].min} }

  def test_a_load_that_rises_and_falls_is_followed_without_overshoot
    simulation = simulate(120, &clients(1)) # 100 % of one worker: a second one takes a half
    assert_equal 2, simulation.size
    simulation.run(120, &clients(8)) # eight CPUs' worth: at 80 % by ten
    assert_equal 10, simulation.size
    simulation.run(3600, &clients(1))
    assert_equal 2, simulation.size
    assert_equal [*1..10, *(2..9).reverse_each], simulation.sizes
  end

  # A queue that has come together meanwhile takes more workers to work it off, once.
  def test_an_open_load_with_a_queue_rises_and_falls_once
    queue = 0.0
    load = ->(now, size) do
      queue = [queue + ((10..200).cover?(now) ? 8 : 0.5) - size, 0.0].max
      {cpu: if queue.positive?
              1.0
            else
              ((10..200).cover?(now) ? 8 : 0.5) / size.to_f
            end,
       wait: queue / size}
    end
    sizes = simulate(7200, &load).sizes
    top = sizes.index(sizes.max)
    assert_equal [*1..sizes.max], sizes[..top]
    assert_equal [*1..sizes.max].reverse, sizes[top..]
  end

  def test_a_worker_is_there_before_clients_notice
    ticks = 0
    simulate(10, boot: 0) do |_now, size|
      ticks += 1 if size == 1
      {cpu: 0.85}
    end
    assert_equal 2, ticks
  end

  def test_a_single_peak_is_no_load
    simulation = simulate(600) { |now, _| {cpu: (now % 10).zero? ? 1.0 : 0.3} }
    assert_equal [1], simulation.sizes
  end

  def test_no_flapping_at_the_threshold_of_growth
    random = Random.new(1)
    simulation = simulate(600) { |_now, size| {cpu: [0.8 / size * random.rand(0.9..1.1), 1].min} }
    assert_equal [1, 2], simulation.sizes
  end

  def test_no_flapping_at_the_threshold_of_shrinking
    random = Random.new(1)
    simulation = simulate(600, size: 2, shrink_after: 60) do |_now, size|
      {cpu: [0.6 / size * random.rand(0.9..1.1), 1].min}
    end
    assert_operator simulation.sizes.size, :<=, 2
  end

  def test_no_flapping_where_requests_wait_for_about_the_limit
    random = Random.new(1)
    simulation = Simulation.new(range: 1..4)
    load = ->(_now, size) { {cpu: 0.1, wait: 0.02 * 2 / size * random.rand(0.9..1.1)} }
    simulation.run(600, &load)
    assert_equal [1, 2, 3], simulation.sizes.uniq
    assert_operator simulation.sizes.each_cons(2).count { |from, to| to < from }, :<=, 1
    # Each shrinking that was too early delays the next one: to 80 minutes in the end.
    simulation.run(86_400, &load)
    assert_operator simulation.sizes.size, :<, 60
  end

  # All of them wait for a database.
  def test_workers_that_block_are_more_than_there_are_cpus
    simulation = simulate(120, cpus: 2, range: 2..8) { {cpu: 0.05, wait: 0.5} }
    assert_equal 8, simulation.size
    assert_equal ["requests wait 500 ms at 7 of 7"], simulation.reasons.last(1)
  end

  def test_workers_that_compute_are_not_more_than_there_are_cpus
    simulation = simulate(120, cpus: 4) { {cpu: 1.0, wait: 1.0} }
    assert_equal 4, simulation.size
  end

  # A slow request of one worker is no reason while the others are idle.
  def test_one_worker_of_several_that_is_behind_is_no_load
    policy = Autoscaler::Policy.new(cpus: 8, shrink_after: 300)
    idle = Autoscaler::Sample.new(cpu: 0.1, wait: 0.001, occupancy: 0.0)
    late = idle.with(wait: 10.0)
    10.times { |now| assert_nil policy.decide(now, [late, idle, idle], 3..8) { [nil, nil] } }
    10.times { |now| policy.decide(10 + now, [late, late, idle], 3..8) { [nil, nil] } }
    assert_equal 1, policy.decide(20, [late, late, idle], 3..8) { [nil, nil] }.change
  end

  # It would be half of them without the last one.
  def test_a_worker_stays_while_the_others_would_be_behind
    wait = [1.0, 0.0, 0.0]
    policy = Autoscaler::Policy.new(cpus: 8, shrink_after: 5)
    samples = wait.map { |one| Autoscaler::Sample.new(cpu: 0.1, wait: one, occupancy: 0.0) }
    60.times { |now| assert_nil policy.decide(now, samples, 1..3) { [nil, nil] } }
  end

  # Places that are taken are no CPU time, but one worker less would have too few.
  def test_workers_whose_places_are_taken_stay
    simulation = simulate(1200, size: 4) { {cpu: 0.01, occupancy: 0.9} }
    assert_equal [4], simulation.sizes
  end

  def test_memory_bounds_growth
    load = ->(*) { {cpu: 1.0} }
    assert_equal 2, simulate(5, memory: [151 << 20, 100 << 20], &load).size
    held = simulate(5, memory: [149 << 20, 100 << 20], &load)
    assert_equal 1, held.size
    assert_equal "each of 1 uses 100 % of a CPU on average, but only 149 MiB of memory are free, " \
      "and the largest has 100 MiB", held.reasons.first
  end

  def test_the_range_holds
    assert_equal 3, simulate(600, range: 2..3) { {cpu: 1.0, wait: 1.0} }.size
    assert_equal 2, simulate(3600, range: 2..3, size: 3) { {} }.size
  end

  def test_shrinking_can_be_turned_off
    assert_equal [3], simulate(3600, size: 3, shrink_after: nil) { {} }.sizes
  end

  def test_a_growth_that_is_over_does_not_delay_the_next_one
    simulation = simulate(60, boot: 1) { {cpu: 1.0} }
    assert_equal 16, simulation.size
  end

  def test_settings_say_what_a_range_is
    error = assert_raises(Raffia::ConfigError) { Autoscaler::Settings.new(range: 0..2) }
    assert_equal "0..2 workers: use a range of numbers, such as 2..16", error.message
    assert_raises(Raffia::ConfigError) { Autoscaler::Settings.new(range: 3..2) }
    assert_raises(Raffia::ConfigError) { Autoscaler::Settings.new(range: 4) }
  end
end
