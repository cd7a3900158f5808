# frozen_string_literal: true

require "test_helper"
require "raffia/simulation"

class SimulationExhaustiveTest < Raffia::TestCase
  Exhaustive = Raffia::Simulation::Strategy::Exhaustive

  # Threads of a program: lists of steps, each the variables that it reads (small letters) and
  # writes (capital letters).
  class Program
    Thread = Struct.new(:path, :steps, :code)

    attr_reader :orders

    def initialize(threads)
      @threads = threads
      @orders = []
      @steps = []
    end

    def start = @steps = []

    def stop = nil

    # The source of footprints for the strategy.
    def take = @steps.tap { @steps = [] }

    # @return [Exhaustive] after all its runs
    def explore(strategy)
      until strategy.finished?
        strategy.start(0, 0)
        @orders << run(strategy)
        flunk if @orders.size > 20_000
      end
      strategy
    end

    private

    def run(strategy)
      ready = @threads.map { |path, steps| Thread.new(path, steps.dup, 0) }
      order = []
      running = nil
      until ready.empty?
        preempts = ready.include?(running)
        ready = [running, *(ready - [running])] if preempts
        index = (ready.size > 1) ? strategy.pick(ready, preempts) : 0
        running = ready[index]
        order << running.path
        @steps << [running.path, footprint(running.steps.shift)]
        ready = ready.reject { |thread| thread.steps.empty? }
      end
      order
    end

    def footprint(step)
      names = step.chars
      return Exhaustive::Footprint.new.tap(&:everything!) if step == "?"
      Exhaustive::Footprint.new(reads: names.grep(/[a-z]/),
        writes: names.grep(/[A-Z]/).map(&:downcase))
    end
  end

  def test_all_interleavings_are_visited_once
    [[1, 1], [2, 3], [4, 4], [5, 2]].each do |a, b|
      program = Program.new("a" => ["X"] * a, "b" => ["X"] * b)
      strategy = program.explore(Exhaustive.new)
      assert_equal binomial(a + b, a), program.orders.size
      assert_equal program.orders.uniq, program.orders
      assert_predicate strategy, :exhausted?
      assert_equal "explored exhaustively: #{binomial(a + b, a)} orders", strategy.to_s
    end
  end

  def test_independent_steps_have_one_order
    assert_equal 1, classes("a" => %w[X X X], "b" => %w[Y Y Y])
    assert_equal 1, classes("a" => %w[X X], "b" => %w[Y Y], "c" => %w[Z Z])
    assert_equal 1, classes("a" => %w[x x x], "b" => %w[x x x])
  end

  def test_dependent_steps_have_all_orders
    assert_equal binomial(6, 3), classes("a" => %w[X X X], "b" => %w[X X X])
    assert_equal binomial(5, 2), classes("a" => ["?", "?"], "b" => ["?", "?", "?"])
    assert_equal 6, classes("a" => %w[X], "b" => %w[X], "c" => %w[X])
  end

  # One conflict of two steps: two classes, wherever independent steps are.
  def test_one_conflict_has_two_orders
    assert_equal 2, classes("a" => %w[Y X Y], "b" => %w[Z X Z])
    assert_equal 2, classes("a" => %w[x Y], "b" => %w[Z X])
    assert_equal 3, classes("a" => %w[x x], "b" => %w[X])
    # writers of one variable, in any of two orders, and a reader before, between or after: 6
    assert_equal 6, classes("a" => %w[X], "b" => %w[X], "c" => %w[x])
    # two readers commute; the writer is before, between (two ways) or after both: 4
    assert_equal 4, classes("a" => %w[x], "b" => %w[x], "c" => %w[X])
  end

  # Two independent conflicts have the product of their orders.
  def test_conflicts_multiply
    assert_equal 4, classes("a" => %w[X], "b" => %w[X], "c" => %w[Y], "d" => %w[Y])
    assert_equal 4, classes("a" => %w[X Y], "b" => %w[X Y])
  end

  # The classes that the reduction takes are those of all orders.
  def test_random_programs_have_one_order_for_each_class
    random = Random.new(16)
    100.times do
      threads = %w[a b c].first(2 + random.rand(2)).to_h do |name|
        [name, Array.new(1 + random.rand(3)) { %w[x X y Y xY z Z].sample(random:) }]
      end
      all = Program.new(threads)
      all.explore(Exhaustive.new)
      expected = all.orders.map { |order| order_of_conflicts(threads, order) }.uniq
      reduced = Program.new(threads)
      strategy = reduced.explore(Exhaustive.new(recorder: reduced))
      found = reduced.orders.map { |order| order_of_conflicts(threads, order) }.uniq
      assert_equal expected.sort, found.sort, threads
      assert_equal expected.size, strategy.visited, threads
    end
  end

  def test_a_bound_leaves_orders_out_and_claims_nothing
    threads = {"a" => %w[X X X], "b" => %w[X X X]}
    counts = [0, 1, 2, 9].map do |bound|
      program = Program.new(threads)
      strategy = program.explore(Exhaustive.new(bound:, recorder: program))
      refute_predicate strategy, :exhausted?
      assert_equal "#{program.orders.size} orders, all with up to #{bound} preemptions",
        strategy.to_s
      program.orders.size
    end
    assert_equal 2, counts.first
    assert_equal counts.sort, counts
    assert_equal binomial(6, 3), counts.last
  end

  def test_values_are_all_drawn
    strategy = Exhaustive.new
    drawn = []
    until strategy.finished?
      strategy.start(0, 0)
      drawn << [strategy.choose(3), strategy.flip(0.5), strategy.flip(0), strategy.flip(1)]
    end
    assert_equal [0, 1, 2].product([false, true], [false], [true]), drawn.map(&:itself)
      .sort_by { |number, flag, *| [number, flag ? 1 : 0] }
  end

  def test_the_program_may_not_change_between_runs
    strategy = Exhaustive.new
    candidate = Struct.new(:path, :code)
    strategy.start(0, 0)
    strategy.pick([candidate.new("a"), candidate.new("b")], false)
    strategy.start(0, 0)
    error = assert_raises(Raffia::Simulation::Nondeterminism) do
      strategy.pick([candidate.new("a"), candidate.new("c")], false)
    end
    assert_match(/decision 1 of a run/, error.message)
  end

  def test_before_the_end_it_says_so
    strategy = Exhaustive.new
    strategy.start(0, 0)
    strategy.choose(2)
    refute_predicate strategy, :finished?
    assert_equal "1 order, not all", strategy.to_s
  end

  private

  def binomial(n, k) = (1..k).inject(1) { |product, i| product * (n - k + i) / i }

  # Orders that are visited with the reduction.
  def classes(threads)
    program = Program.new(threads)
    program.explore(Exhaustive.new(recorder: program)).visited
  end

  # For each pair of dependent steps, which came first: the same for equivalent orders.
  def order_of_conflicts(threads, order)
    counts = Hash.new(-1)
    steps = order.map { |thread| [thread, counts[thread] += 1] }
    pairs = steps.combination(2).reject { |(a, _), (b, _)| a == b }
    pairs.select { |(a, i), (b, j)| conflict?(threads[a][i], threads[b][j]) }
      .sort
  end

  def conflict?(one, other)
    touched = ->(step) { step.downcase.chars }
    written = ->(step) { step.chars.grep(/[A-Z]/).map(&:downcase) }
    (written[one] & touched[other]).any? || (written[other] & touched[one]).any?
  end
end
