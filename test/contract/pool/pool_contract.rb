# frozen_string_literal: true

require "test_helper"
require "raffia/pool"
require "timeout"
require_relative "retry_contract"

# The stdlib's own timer thread starts with the first timeout and stays: not a leak of whatever test
# comes first.
Timeout.timeout(1) {}

# The promises of Raffia.map and the other calls, on every strategy. One test class per strategy
# includes this and describes it:
#
#   strategy -> the value of on:
#   surround -> runs a test's body where the strategy can work (a scheduler, for example)
#
# Blocks capture nothing and use nothing of the test, so that they can go to Ractors too.
module PoolContract
  include PoolRetryContract

  # A collection that has nothing but each, and tells how far it was read.
  class Counter
    attr_reader :read

    def initialize = @read = 0

    def each
      yield @read += 1 while true
    end
  end

  class Unlucky < StandardError
    attr_reader :number

    def initialize(number)
      @number = number
      super("number #{number} is unlucky")
    end
  end

  class Apart < Exception; end # standard:disable Lint/InheritException

  def surround = yield

  # The body of each test runs in here: whatever happens in it, nothing is left behind.
  def run_on(**options)
    assert_no_leaks { surround { yield({on: strategy, workers: 2}.merge(options)) } }
  end

  # --- results

  def test_results_are_in_the_order_of_the_items
    run_on do |on|
      assert_equal((0...500).map { |n| n * 2 }, Raffia.map((0...500).to_a, **on) { |n| n * 2 })
    end
  end

  def test_order_is_kept_when_later_items_are_done_first
    run_on(chunk: 1) do |on|
      assert_equal([0.03, 0.0, 0.01, 0.0],
        Raffia.map([0.03, 0.0, 0.01, 0.0], **on) { |seconds| sleep(seconds) && seconds })
    end
  end

  def test_unordered_results_are_all_there
    run_on(ordered: false) do |on|
      assert_equal((1..300).to_a, Raffia.map((1..300).to_a, **on) { |n| n }.sort)
    end
  end

  def test_every_kind_of_input_is_read
    run_on do |on|
      assert_equal([2, 4, 6], Raffia.map(1..3, **on) { |n| n * 2 })
      assert_equal([2, 4], Raffia.map(1...3, **on) { |n| n * 2 })
      assert_equal(%w[a! b!], Raffia.map("a".."b", **on) { |s| "#{s}!" })
      assert_equal([2, 4, 6], Raffia.map(Set[1, 2, 3], **on) { |n| n * 2 })
      assert_equal([[:a, 1], [:b, 2]], Raffia.map({a: 1, b: 2}, **on) { |key, value| [key, value] })
      assert_equal([["x", 0], ["y", 1]], Raffia.map(%w[x y].each_with_index, **on) { |pair| pair })
      assert_equal((1..50).map { |n| n + 1 }, Raffia.map((1..50).lazy, **on) { |n| n + 1 })
    end
  end

  def test_no_items_no_results
    run_on do |on|
      assert_equal([], Raffia.map([], **on) { |n| n })
      assert_equal([], Raffia.map([].each, **on) { |n| n })
      assert_equal([], Raffia.map(1...1, **on) { |n| n })
      assert_nil(Raffia.find_any([], **on) { |n| n })
      assert_nil(Raffia.reduce([], **on) { |a, b| a + b })
      assert_equal(7, Raffia.reduce([], 7, **on) { |a, b| a + b })
      assert_equal(0, Raffia.reduce([], 0, combine: :+, **on) { |a, b| a + b })
    end
  end

  def test_nil_and_false_are_items_and_results_like_others
    run_on do |on|
      assert_equal([nil, false, nil], Raffia.map([nil, false, nil], **on) { |x| x })
      assert_equal([true, true], Raffia.map([nil, false].each, **on) { |x| !x })
    end
  end

  def test_more_workers_than_items_and_fixed_chunks
    run_on(workers: 5, chunk: 3) do |on|
      assert_equal([1, 2, 3, 4], Raffia.map([0, 1, 2, 3], **on) { |n| n + 1 })
    end
  end

  def test_a_large_result_crosses_whole
    run_on do |on|
      sizes = Raffia.map([300_000, 10, 700_000, 70_000], **on) { |n| "x" * n }.map(&:bytesize)
      assert_equal([300_000, 10, 700_000, 70_000], sizes)
    end
  end

  def test_large_items_cross_whole
    run_on do |on|
      items = Array.new(6) { |n| n.to_s * 300_000 }
      assert_equal(items.map(&:hash), Raffia.map(items, **on) { |text| text }.map(&:hash))
      assert_equal(items.map(&:hash), Raffia.map(items.each, chunk: 1, **on) { |text| text }
        .map(&:hash))
    end
  end

  # --- the sisters

  def test_each_returns_the_items_and_drops_the_results
    run_on do |on|
      items = [1, 2, 3]
      assert_same(items, Raffia.each(items, **on) { |n| n && $stderr })
    end
  end

  def test_filter_map_keeps_order
    run_on { |on| assert_equal([4, 8, 12], Raffia.filter_map(1..6, **on) { |n| n * 2 if n.even? }) }
  end

  def test_find_any_gives_the_item_itself
    run_on do |on|
      items = %w[a b c d].map(&:dup)
      assert_same(items[2], Raffia.find_any(items, **on) { |s| s == "c" })
      assert_nil(Raffia.find_any(items, **on) { |s| s == "z" })
      assert_same(items[1], Raffia.find_any(items.each, **on) { |s| s == "b" })
    end
  end

  def test_find_any_ends_on_endless_input
    run_on do |on|
      assert_operator(Raffia.find_any(1.., **on) { |n| n > 1000 }, :>, 1000)
      assert_operator(Raffia.find_any(Counter.new, **on) { |n| n > 100 }, :>, 100)
    end
  end

  def test_reduce_folds_in_the_order_of_the_items
    run_on do |on|
      assert_equal(("a".."z").to_a.join,
        Raffia.reduce(("a".."z").to_a, chunk: 3, **on) { |a, b| a + b })
      assert_equal("->abc", Raffia.reduce(%w[a b c], "->", **on) { |a, b| a + b })
      assert_equal(385, Raffia.reduce(1..10, 0, combine: :+, **on) { |sum, n| sum + n * n })
      assert_equal({"a" => 3, "b" => 1}, count_words(%w[a b a a], on))
    end
  end

  def count_words(words, on)
    merge = ->(a, b) { a.merge(b) { |_, x, y| x + y } }
    Raffia.reduce(words, {}, combine: merge, chunk: 1, **on) do |counts, word|
      counts.merge(word => counts.fetch(word, 0) + 1)
    end
  end

  # --- errors

  def test_an_exception_comes_as_it_is_with_its_item
    run_on do |on|
      error = assert_raises(Unlucky) do
        Raffia.map([11, 12, 13, 14], **on) { |n| raise Unlucky.new(n) if n == 13 }
      end
      assert_equal(["number 13 is unlucky", 13, 13, 2],
        [error.message, error.number, error.item, error.item_index])
      assert_kind_of(Raffia::Pool::ItemContext, error)
      assert_match(/unlucky.*item 2: 13/m, error.detailed_message)
    end
  end

  def test_an_exception_has_the_workers_backtrace_and_the_callers
    run_on do |on|
      called = nil
      error = assert_raises(ZeroDivisionError) do
        called = __LINE__ + 1
        Raffia.each([1], **on) do |n|
          n / 0
        end
      end
      raised = called + 1
      here = "#{File.basename(__FILE__)}:"
      assert(error.backtrace.any? { |line| line.include?("#{here}#{raised}:") },
        "the block's line is missing:\n#{error.backtrace.join("\n")}")
      assert(error.backtrace.any? { |line| line.include?("#{here}#{called}:") },
        "the caller's line is missing:\n#{error.backtrace.join("\n")}")
    end
  end

  def test_an_exception_keeps_its_cause
    run_on do |on|
      error = assert_raises(ArgumentError) do
        Raffia.map([1], **on) do |n|
          Integer("x#{n}")
        rescue ArgumentError
          raise ArgumentError, "no number"
        end
      end
      assert_match(/invalid value/, error.cause&.message)
    end
  end

  def test_exceptions_beside_standard_error_arrive_too
    run_on { |on| assert_raises(Apart) { Raffia.map([1], **on) { raise Apart } } }
  end

  class Frozen < StandardError
    def initialize(*) = super.then { freeze }
  end

  def test_a_frozen_error_has_its_item
    run_on do |on|
      error = assert_raises(Frozen) { Raffia.map([5], **on) { raise Frozen, "cold" } }
      assert_equal ["cold", 5, 0], [error.message, error.item, error.item_index]
      assert(error.backtrace.any? { |line| line.include?(File.basename(__FILE__)) })
    end
  end

  def test_a_throw_out_of_the_input_reaches_the_callers_catch
    run_on do |on|
      thrown = catch(:tag) do
        Raffia.map(Enumerator.new { |out| (out << 1) && throw(:tag, :thrown) }, **on) { |n| n }
      end
      assert_equal :thrown, thrown
      assert_raises(UncaughtThrowError) do
        Raffia.map(Enumerator.new { |_| throw(:nobodys) }, **on) { |n| n }
      end
    end
  end

  def test_an_error_stops_the_rest
    run_on do |on|
      endless = Counter.new
      assert_raises(Unlucky) { Raffia.each(endless, **on) { |n| raise Unlucky.new(n) if n == 20 } }
      assert_raises(Unlucky) { Raffia.each(1.., **on) { |n| raise Unlucky.new(n) if n == 20 } }
    end
  end

  def test_an_error_in_the_input_stops_the_work
    run_on do |on|
      broken = Enumerator.new do |out|
        3.times { |n| out << n }
        raise IOError, "the input broke"
      end
      assert_raises(IOError) { Raffia.map(broken, **on) { |n| n } }
    end
  end

  def test_nested_errors_show_each_level_its_own_item
    run_on do |on|
      skip "the inner call would run in a Ractor" if ractors?

      outer = assert_raises(Unlucky) do
        Raffia.map([[1], [2, 3]], **on) do |row|
          Raffia.map(row, on: :inline) { |n| raise Unlucky.new(n) if n == 3 }
        end
      end
      assert_equal([[2, 3], 1], [outer.item, outer.item_index])
    end
  end

  def ractors?
    strategy != :inline && strategy != :fibers && strategy != :threads && strategy != :processes
  end

  # --- ending early

  def test_break_gives_its_value_and_stops
    need_cruby("break out of another thread") unless strategy == :inline
    run_on do |on|
      assert_equal([:found, 7], Raffia.each(1.., **on) { |n| break [:found, n] if n == 7 })
    end
  end

  def test_throw_reaches_the_callers_catch
    run_on do |on|
      assert_equal(5, catch(:done) { Raffia.each(1.., **on) { |n| throw :done, n if n == 5 } })
    end
  end

  def test_throw_that_nobody_catches
    run_on { |on| assert_raises(UncaughtThrowError) { Raffia.each([1], **on) { throw :nowhere } } }
  end

  def test_next_and_stop_iteration_are_no_trouble
    run_on do |on|
      assert_equal([:odd, 2], Raffia.map([1, 2],
        **on) { |n| next :odd if n.odd?; n }) # standard:disable Style/Semicolon
      assert_raises(StopIteration) { Raffia.map([1, 2], **on) { raise StopIteration } }
    end
  end

  def test_the_limit_bounds_what_is_read_ahead
    run_on(limit: 4, workers: 1) do |on|
      endless = Counter.new
      found = Raffia.find_any(endless, **on) { |n| n == 60 }
      assert_equal(60, found)
      assert_operator(endless.read, :<=, 60 + 4 + 1)
    end
  end

  def test_endless_lazy_input
    run_on(limit: 6, workers: 1) do |on| # others would go on until the caller has heard of the end
      read = 0
      endless = (1..).lazy.map { |n| read = n }.select(&:even?)
      assert_equal(40, Raffia.find_any(endless, **on) { |n| n == 40 })
      assert_equal(20,
        catch(:found) { Raffia.each(endless, **on) { |n| throw :found, n if n == 20 } })
      assert_operator(read, :<=, 40 + 2 * (6 + 1))
    end
  end

  def test_without_a_limit_endless_input_is_still_bounded
    run_on(workers: 1) do |on|
      endless = Counter.new
      Raffia.find_any(endless, **on) { |n| n == 1000 }
      # How many are read ahead is bounded, not how far ahead of the slowest worker that is.
      assert_operator(endless.read, :<, 20 * Raffia::Pool::QueueFeed::WIDEST)
    end
  end

  # --- deadlines and interruption

  def test_a_timeout_ends_the_call
    run_on do |on|
      error = assert_raises(Raffia::TimeoutError) do
        Raffia.each([1, 2, 3, 4], timeout: 0.05, **on) { sleep(0.5) }
      end
      assert_equal(0.05, error.seconds)
    end
  end

  def test_an_outer_timeout_ends_the_call
    run_on do |on|
      assert_raises(Raffia::TimeoutError) do
        Raffia.timeout(0.05) { Raffia.each(1.., **on) { sleep(0.01) } }
      end
    end
  end

  def test_a_timeout_that_is_kept_changes_nothing
    run_on { |on| assert_equal([2], Raffia.map([1], timeout: 30, **on) { |n| n + 1 }) }
  end

  def test_a_timeout_reaches_a_caller_who_waits_for_input
    run_on do |on|
      silent = Enumerator.new do |out|
        out << 1
        sleep
      end
      assert_raises(Raffia::TimeoutError) { Raffia.each(silent, timeout: 0.05, **on) { |n| n } }
    end
  end

  # Ctrl-C does the same to the main thread.
  def test_an_interrupted_caller_leaves_nothing_behind
    run_on do |on|
      started = Thread::Queue.new
      caller = Thread.new do
        endless = Enumerator.new do |out|
          started << true
          out << 1 while true
        end
        surround { Raffia.each(endless, **on) { sleep(0.005) } }
      end
      caller.report_on_exception = false
      started.pop
      caller.raise(Interrupt)
      assert_raises(Interrupt) { caller.join(Raffia::TestCase::PATIENCE) }
    end
  end

  # --- arguments

  def test_arguments_that_cannot_be_meant
    {
      {workers: 0} => /workers: 0 is not a count/, {workers: 1.5} => /workers: 1.5/,
      {limit: -1} => /limit: -1/,
      {chunk: 0} => /chunk: 0/, {timeout: -1} => /timeout: -1 is not a time/,
      {timeout: "1"} => /timeout: "1"/,
      {item_timeout: -1} => /item_timeout: -1 is not a time/,
      {retries: -1} => /retries: -1 is not a number of further attempts/,
      {retries: nil} => /retries: nil/, {backoff: "1"} => /backoff: "1" is not a pause/,
      {retry_on: "E"} => /retry_on: "E" is not a class/,
      {max_tasks: 0} => /max_tasks: 0 is not a count/, {max_memory: 1.5} => /max_memory: 1.5/,
      {max_age: -2} => /max_age: -2 is not a time/
    }.each do |options, message|
      error = assert_raises(Raffia::ConfigError) do
        Raffia.map([1], on: strategy, **options) { |n| n }
      end
      assert_match(message, error.message)
    end
    assert_match(/without a block/,
      assert_raises(Raffia::ConfigError) { Raffia.map([1], on: strategy) }.message)
    assert_match(/\AInteger is not a collection/,
      assert_raises(Raffia::ConfigError) { Raffia.map(5, on: strategy) { |n| n } }.message)
    assert_match(/initial value/,
      assert_raises(Raffia::ConfigError) {
        Raffia.reduce([1], combine: :+, on: strategy) { |a, b| a + b }
      }.message)
    assert_raises(ArgumentError) { Raffia.map([1], on: strategy, wrokers: 2) { |n| n } }
  end
end
