# frozen_string_literal: true

require "test_helper"
require "raffia"
require "timeout"

# The stdlib's own timer thread starts with the first timeout and stays: not a leak of whatever test
# comes first.
Timeout.timeout(1) {}

# Calls within calls, on every pair of strategies: each has workers of its own, so none waits for a
# worker that waits for it.
class PoolNestedTest < Raffia::TestCase
  STRATEGIES = %i[inline fibers threads processes ractors].freeze
  ROWS = Ractor.make_shareable([[1, 2, 3], [4, 5], [], [6]] * 3)
  DOUBLED = [[2, 4, 6], [8, 10], [], [12]] * 3

  (STRATEGIES - [:ractors]).product(STRATEGIES).each do |outer, inner|
    define_method(:"test_#{inner}_in_#{outer}") do
      assert_no_leaks do
        assert_equal(DOUBLED, Raffia.map(ROWS, on: outer,
          workers: 2) { |row| Raffia.map(row, on: inner, workers: 2) { |n| n * 2 } })
      end
    end
  end

  def test_inline_in_ractors
    assert_no_leaks do
      assert_equal(DOUBLED, Raffia.map(ROWS, on: :ractors,
        workers: 2) { |row| Raffia.map(row, on: :inline) { |n| n * 2 } })
    end
  end

  def test_fibers_in_ractors
    assert_no_leaks do
      assert_equal(DOUBLED, Raffia.map(ROWS, on: :ractors,
        workers: 2) { |row| Raffia.map(row, on: :fibers) { |n| sleep(0) && n * 2 } })
    end
  end

  # Threads in several Ractors at once hang Ruby itself.
  def test_what_needs_threads_is_refused_in_ractors
    %i[threads processes ractors].each do |inner|
      error = assert_raises(Raffia::ConfigError) do
        Raffia.map([inner], on: :ractors, workers: 1) { |on| Raffia.map([1], on: on) { |n| n } }
      end
      assert_match(
        /on: :#{inner} needs threads, and inside of a Ractor .*use on: :inline or on: :fibers/,
        error.message
      )
    end
    assert_match(/on: :fibers needs threads/,
      assert_raises(Raffia::ConfigError) {
        Raffia.map([1], on: :ractors) { Raffia::Pool.new(on: :fibers) {} }
      }.message)
  end

  def test_three_deep
    %i[fibers threads processes].permutation.each do |a, b, c|
      result = Raffia.map(1..2, on: a, workers: 2) do |x|
        Raffia.map(1..2, on: b, workers: 2) do |y|
          Raffia.map(1..2, on: c, workers: 2) { |z| x * y * z }
        end
      end
      assert_equal([[[1, 2], [2, 4]], [[2, 4], [4, 8]]], result, [a, b, c].inspect)
    end
  end

  # More calls wait at once than there are workers of any of them.
  def test_wide_and_nested
    assert_equal(Array.new(40) { |n| n * 6 },
      Raffia.map(0...40, on: :fibers, workers: 40) { |n|
        Raffia.map([1, 2, 3], on: :threads, workers: 2) { |k| n * k }.sum
      })
    assert_equal(Array.new(20) { |n| n * 6 },
      Raffia.map(0...20, on: :threads, workers: 20,
        chunk: 1) { |n| Raffia.map([1, 2, 3], on: :fibers) { |k| sleep(0.001) && n * k }.sum })
  end

  def test_an_inner_break_ends_the_inner_call
    %i[fibers threads processes].product(%i[fibers threads processes]).each do |outer, inner|
      assert_equal([3, 3], Raffia.map(1..2, on: outer,
        workers: 2) { Raffia.each(1.., on: inner, workers: 2) { |n| break 3 if n == 3 } },
        "#{inner} in #{outer}")
    end
  end

  def test_the_outer_deadline_ends_the_inner_calls
    %i[fibers threads processes].product(STRATEGIES).each do |outer, inner|
      assert_no_leaks do
        assert_raises(Raffia::TimeoutError, "#{inner} in #{outer}") do
          Raffia.map(1..2, on: outer, workers: 2, timeout: 0.2) do
            Raffia.map(1.., on: inner, workers: 2) { sleep(0.01) }
          end
        end
      end
    end
  end
end
