# frozen_string_literal: true

require "test_helper"
require "raffia/simulation"

# Data races of simulated threads, with `races: true`.
class SimulationRacesWorldTest < Raffia::TestCase
  class Counter
    attr_reader :count

    def initialize
      @count = @ticks = 0
      @mutex = Mutex.new
    end

    def increment
      value = count_now
      @count = value + 1
    end

    def count_now = @count

    def increment_safely = @mutex.synchronize { increment }

    def tick = @ticks += 1
  end

  def setup
    need_cruby "bytecode"
  end

  # One order of the threads is enough, even one in which nothing is lost.
  def test_a_race_fails_the_run
    report = explore { twice { |counter| counter.increment } }
    error = report.failure.error
    assert_kind_of Raffia::Simulation::DataRace, error
    assert_match(/\Adata race on @count of SimulationRacesWorldTest::Counter: thread main\/1/,
      error.message)
    assert_equal %w[main/1 main/2], report.races.first.threads
  end

  def test_what_a_lock_orders_is_none
    report = explore { twice { |counter| counter.increment_safely } }
    assert_predicate report, :success?
    assert_empty report.races
  end

  def test_a_race_that_cruby_cannot_have_is_reported_and_does_not_fail
    report = explore { twice { |counter| counter.tick } }
    assert_predicate report, :success?
    assert_equal [true], report.races.map(&:harmless_on_cruby?)
  end

  def test_locals_of_blocks
    report = explore do
      first = 0
      threads = [Thread.new { first = pass(first) + 1 }, Thread.new { first = pass(first) + 1 }]
      threads.each(&:join)
    end
    assert_match(/local variable first/, report.failure.error.message)
    report = explore { twice { |counter| own(counter) } }
    assert_empty report.races
  end

  def test_start_join_and_queue_order
    report = explore do
      counter = Counter.new
      queue = Queue.new
      counter.increment
      thread = Thread.new do
        queue.pop
        counter.increment
      end
      counter.increment
      queue << 1
      thread.join
      counter.increment
    end
    assert_empty report.races
  end

  def test_channels_of_raffia_order
    report = explore do
      counter = Counter.new
      channel = Raffia::Channel.new(1)
      thread = Thread.new do
        Raffia.run { channel.pop }
        counter.increment
      end
      counter.increment
      Raffia.run { channel << 1 }
      thread.join
    end
    assert_predicate report, :success?
    assert_empty report.races
  end

  def test_races_that_are_ignored_are_reported_and_do_not_fail
    report = explore(ignore: [:races]) { twice { |counter| counter.increment } }
    assert_predicate report, :success?
    refute_empty report.races
  end

  def test_without_the_option_races_are_not_looked_for
    assert_predicate explore(races: false) { twice { |counter| counter.increment } }, :success?
  end

  private

  def explore(races: true, **options, &)
    Raffia::Simulation.explore(races:, runs: 2, seed: 1, strategy: :fifo, **options, &)
  end

  def twice
    counter = Counter.new
    2.times.map { Thread.new { yield counter } }.each(&:join)
  end

  def own(counter)
    sum = 0
    2.times { sum += counter.count_now }
    sum
  end

  def pass(number) = number
end
