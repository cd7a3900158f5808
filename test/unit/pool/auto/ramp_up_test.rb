# frozen_string_literal: true

require "test_helper"
require "raffia"

# How worker processes are started for on: :auto, with a group that starts none.
class PoolAutoRampUnitTest < Raffia::TestCase
  Auto = Raffia::Pool::Auto

  # Notes what is asked of it; its workers answer at once, or never.
  class Group
    attr_reader :started

    def initialize(answers) = (@answers, @started = answers, [])

    attr_writer :ramp

    def start(count)
      @started << count
      count.times { @ramp.ready } if @answers
    end
  end

  # Stands in for a traversal.
  class Coordinator
    attr_reader :feed, :done

    def initialize(count)
      input = Raffia::Pool::Input.of(0...count)
      @feed = Raffia::Pool::IndexedFeed.new(input, Raffia::Pool::ChunkSize.new(1, target: 0.001), 2)
      @done = 0
    end

    def remaining = @feed.left
    def admit(chunk) = chunk
    def complete(chunk, _reply) = @done += chunk.size
  end

  def ramp(workers:, count:, answers:, item: 0.001, cost: 0.01)
    coordinator = Coordinator.new(count)
    group = Group.new(answers)
    ramp = group.ramp = Auto::RampUp.new(workers, item, cost)
    plan = Raffia::Pool::Plan.new(:each, ->(n) { n }, nil)
    ramp.start(coordinator, group, Raffia::Pool::WorkerSlot.new(plan))
    [group.started, coordinator.done, ramp]
  end

  def test_it_widens_by_doubling
    assert_equal [1, 1, 2, 4], ramp(workers: 8, count: 1000, answers: true).first
    assert_equal [1, 1, 2, 1], ramp(workers: 5, count: 1000, answers: true).first
  end

  def test_it_widens_no_further_than_the_work_is_worth
    assert_equal [1, 1], ramp(workers: 8, count: 30, answers: true).first
  end

  def test_the_caller_does_the_work_of_a_worker_that_does_not_start
    started, done, ramp = ramp(workers: 8, count: 1000, answers: false)
    assert_equal [[1], 1000], [started, done]
    assert_predicate ramp, :over?
  end

  def test_beside_long_items_all_start_at_once
    started, done, ramp = ramp(workers: 3, count: 10, answers: false, item: 0.2)
    assert_equal [[3], 0], [started, done]
    refute_predicate ramp, :over?
  end

  def test_the_least_of_the_last_starts_counts_for_a_while
    now = Raffia::Clock.now
    Auto::StartCost.clear
    assert_nil Auto::StartCost.seconds
    [0.01, 0.5, 0.03, 0.4, 0.6].each { |seconds| Auto::StartCost.add(seconds, now) }
    assert_equal 0.01, Auto::StartCost.seconds(now)
    Auto::StartCost.add(0.7, now + 50)
    assert_equal 0.03, Auto::StartCost.seconds(now + 50), "the first of six is forgotten"
    assert_equal 0.7, Auto::StartCost.seconds(now + 70), "what is old is forgotten"
    assert_nil Auto::StartCost.seconds(now + 200)
  ensure
    Auto::StartCost.clear
  end

  # A worker that takes no work before it answers leaves nothing undone when it has to end.
  def test_a_call_with_real_workers
    Auto::StartCost.clear
    strategy = Auto.new(enough: 0.0) do |work, machine|
      Auto::Choice.of(work, machine, on: :processes)
    end
    assert_no_leaks do
      tries = Hash.new(0)
      results = Raffia.map(0...50, on: strategy, workers: 2, retries: 5, backoff: 0.001) do |n|
        raise IOError if n == 49 && (tries[n] += 1) == 1
        sleep(0.001) && n
      end
      assert_equal (0...50).to_a, results
      assert_equal 4950, Raffia.reduce(0...100, on: strategy, workers: 2) { |sum, n| sum + n }
    end
  end
end
