# frozen_string_literal: true

require "test_helper"
require "raffia/simulation"
require_relative "../../../../bench/simulation/model"

# The exhaustive strategy on programs of threads.
class SimulationExhaustiveWorldTest < Raffia::TestCase
  Exhaustive = Raffia::Simulation::Strategy::Exhaustive

  SimulationBench.load_models

  class Counter
    attr_reader :value

    def initialize
      @value = 0
      @mutex = Mutex.new
      @other = Mutex.new
    end

    def increment
      value = current
      @value = value + 1
    end

    def current = @value

    def increment_safely
      @mutex.synchronize { increment }
    end

    def increment_in_parts
      value = @value
      Thread.pass
      @value = value + 1
    end

    def forth = nest(@mutex, @other)

    def back = nest(@other, @mutex)

    # CRuby switches between the two locks where `current` returns.
    def nest(first, second)
      first.synchronize do
        current
        second.synchronize { current }
      end
    end
  end

  def setup
    need_cruby "bytecode"
  end

  def test_each_interleaving_is_taken_once_without_reduction
    [[1, 1], [2, 2], [3, 2]].each do |a, b|
      orders = []
      report = explore(Exhaustive.new, preempt: :none) do
        order = []
        orders << order
        {"a" => a, "b" => b}.each do |name, steps|
          Thread.new do
            steps.times do |step|
              order << name
              Thread.pass if step + 1 < steps
            end
          end
        end
        sleep 1
      end
      assert_predicate report, :exhausted?
      assert_equal orders.uniq, orders
      assert_equal binomial(a + b, a), orders.size
    end
  end

  def test_a_lost_update_is_found_and_its_mend_is_proved
    report = explore { count_with(:increment) }
    assert_equal "lost an update", report.failure.error.message
    refute_predicate report, :exhausted?
    report = explore { count_with(:increment_safely) }
    assert_predicate report, :success?
    assert_predicate report, :exhausted?
  end

  def test_threads_that_share_nothing_have_one_order
    strategy = Exhaustive.build(nil)
    report = explore(strategy) do
      2.times.map { Thread.new { Counter.new.increment } }.each(&:join)
    end
    assert_predicate report, :exhausted?
    assert_equal 1, strategy.visited
  end

  # It is not known which order depends on a timer's, so none is left out after it.
  def test_all_orders_after_timers_are_taken
    visited = [Exhaustive.build(nil), Exhaustive.new].map do |strategy|
      report = explore(strategy, preempt: :none) do
        thread = Thread.new do
          sleep 1
          Thread.pass
        end
        sleep 1
        Thread.pass
        thread.join
      end
      assert_predicate report, :exhausted?
      strategy.visited
    end
    assert_equal [20, 20], visited
  end

  def test_lock_order_is_found
    report = explore do
      counter = Counter.new
      [:forth, :back].map { |name| Thread.new { counter.send(name) } }.each(&:join)
    end
    assert_kind_of Raffia::Simulation::Deadlock, report.failure.error
    report = explore do
      counter = Counter.new
      2.times.map { Thread.new { counter.forth } }.each(&:join)
    end
    assert_predicate report, :exhausted?
  end

  # The reduction leaves out orders, but no result.
  def test_results_with_and_without_reduction_are_the_same
    {
      attributes: lambda { |_|
        counter = Counter.new
        2.times.map { Thread.new { counter.increment_in_parts } }.each(&:join)
        counter.value
      },
      locals: lambda { |_|
        first = second = 0
        threads = [Thread.new { first = second + tick(1) }, Thread.new { second = first + tick(1) }]
        threads.each(&:join)
        [first, second]
      },
      queue: lambda { |_|
        queue = Queue.new
        2.times.map { |number| Thread.new { queue << tick(number) } }.each(&:join)
        [queue.pop, queue.pop]
      },
      values: lambda { |sim|
        list = []
        2.times.map { Thread.new { list << tick(sim.choose(2)) } }.each(&:join)
        list
      }
    }.each do |name, program|
      plain, reduced = [Exhaustive.new, Exhaustive.build(nil)].map do |strategy|
        results(strategy, &program)
      end
      assert_operator plain.size, :>, 1, name
      assert_equal plain, reduced, name
    end
  end

  # Each of them needs another kind of step to be seen: variables, locks, conditions, iterators in
  # queues, interrupts, timers.
  # Each in a test of its own, for the time limit of a test.
  %w[lost_update check_then_act lock_order missed_signal bluetooth_driver async_closed_selector
    iterate_while_adding handoff_timeout puma_trimmed_worker shoryuken_hard_stop].each do |name|
    define_method(:"test_the_planted_bug_#{name}_is_found") do
      model = SimulationBench::MODELS.fetch(name)
      report = explore(shrink: false, **model.options) { |sim| model.buggy.call(sim) }
      refute_predicate report, :success?, name
    end
  end

  %w[check_then_act lock_order missed_signal bluetooth_driver async_closed_selector].each do |name|
    define_method(:"test_the_mended_#{name}_has_no_bug") do
      model = SimulationBench::MODELS.fetch(name)
      report = explore(**model.options) { |sim| model.fixed.call(sim) }
      assert_predicate report, :exhausted?, name
    end
  end

  def test_a_bound_finds_and_proves_nothing
    report = explore(:exhaustive, bound: 1) { count_with(:increment) }
    assert_equal "lost an update", report.failure.error.message
    report = explore(:exhaustive, bound: 0) { count_with(:increment) }
    assert_predicate report, :success?
    refute_predicate report, :exhausted?
  end

  def test_random_numbers_are_the_same_in_each_run
    drawn = []
    report = explore do |sim|
      drawn << [sim.random.rand, rand]
      sim.choose(2)
    end
    assert_predicate report, :exhausted?
    assert_equal 2, drawn.size
    assert_equal 1, drawn.uniq.size
  end

  def test_values_beyond_count_are_not_exhausted
    report = explore { |sim| sim.choose(10_000) }
    assert_equal 1, report.runs
    refute_predicate report, :exhausted?
  end

  private

  def explore(strategy = :exhaustive, **options, &)
    Raffia::Simulation.explore(strategy:, runs: 5_000, **options, &)
  end

  def count_with(name)
    counter = Counter.new
    2.times.map { Thread.new { counter.send(name) } }.each(&:join)
    raise "lost an update" unless counter.value == 2
  end

  def results(strategy)
    found = []
    report = explore(strategy, preempt: :none) { |sim| found << yield(sim) }.raise!
    assert_predicate report, :exhausted?
    found.uniq.sort_by(&:inspect)
  end

  def tick(number)
    Thread.pass
    number
  end

  def binomial(n, k) = (1..k).inject(1) { |product, i| product * (n - k + i) / i }
end
