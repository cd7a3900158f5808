# frozen_string_literal: true

require "tmpdir"

# The promises of retries: and item_timeout: on every strategy. Part of {PoolContract}; its rules
# for blocks hold here too, so an item brings along the folder where attempts at it are counted.
module PoolRetryContract
  # Counts attempts where every kind of worker can, and so that an interruption cannot leave a file
  # open.
  module Attempts
    # @return [Integer] how many there have been at this item, this one included
    def self.count((folder, n), attempt = 1)
      Dir.mkdir("#{folder}/#{n}.#{attempt}")
      attempt
    rescue Errno::EEXIST
      count([folder, n], attempt + 1)
    end

    def self.of(folder) = Dir.children(folder).map(&:to_i).tally
  end

  def with_items(count, **options)
    Dir.mktmpdir do |folder|
      run_on(backoff: 0, **options) { |on| yield Array.new(count) { |n| [folder, n] }, on }
      Attempts.of(folder)
    end
  end

  def test_items_that_fail_are_tried_again
    attempts = with_items(60, retries: 2) do |items, on|
      results = Raffia.map(items, **on) do |item|
        (Attempts.count(item) < 3 && item.last % 7 == 0) ? raise(IOError) : item.last * 2
      end
      assert_equal((0...60).map { |n| n * 2 }, results)
    end
    assert_equal((0...60).to_h { |n| [n, (n % 7 == 0) ? 3 : 1] }, attempts)
  end

  def test_items_of_a_stream_are_tried_again
    with_items(60, retries: 1, limit: 5) do |items, on|
      results = Raffia.map(items.each_entry, **on) do |item|
        (Attempts.count(item) == 1 && item.last % 7 == 0) ? raise(IOError) : item.last
      end
      assert_equal((0...60).to_a, results)
    end
  end

  def test_unordered_results_are_there_once_each
    with_items(60, retries: 1, ordered: false) do |items, on|
      results = Raffia.map(items, **on) do |item|
        (Attempts.count(item) == 1 && item.last.odd?) ? raise(IOError) : item.last
      end
      assert_equal((0...60).to_a, results.sort)
    end
  end

  def test_the_sisters_try_again_too
    with_items(20, retries: 1) do |items, on|
      assert_same(items, Raffia.each(items,
        **on) { |item| raise IOError if Attempts.count(item) == 1 && item.last.odd? })
    end.each { |n, attempts| assert_equal(n.odd? ? 2 : 1, attempts) }
    with_items(20, retries: 1) do |items, on|
      assert_equal([4, 8], Raffia.filter_map(items,
        **on) { |item|
          (Attempts.count(item) == 1) ? raise(IOError) : (item.last if [4, 8].include?(item.last))
        })
    end
    with_items(20, retries: 1) do |items, on|
      assert_same(items[3], Raffia.find_any(items,
        **on) { |item| (Attempts.count(item) == 1) ? raise(IOError) : item.last == 3 })
    end
  end

  def test_nothing_is_folded_twice
    with_items(40, retries: 40) do |items, on|
      sum = Raffia.reduce(items, [0], combine: :+, **on) do |memo, item|
        (Attempts.count(item) == 1 && item.last % 3 == 0) ? raise(IOError) : memo << item.last
      end
      assert_equal((0...40).sum, sum.sum)
    end
  end

  def test_attempts_come_to_an_end
    attempts = with_items(9, retries: 2, chunk: 3) do |items, on|
      error = assert_raises(IOError) do
        Raffia.map(items, **on) do |item|
          (Attempts.count(item) && item.last == 4) ? raise(IOError, "no luck") : item
        end
      end
      assert_equal(["no luck", items[4], 4], [error.message, error.item, error.item_index])
    end
    assert_equal(3, attempts[4])
  end

  def test_other_errors_are_not_tried_again
    attempts = with_items(3, retries: 5, retry_on: [EOFError, KeyError]) do |items, on|
      assert_raises(IOError) do
        Raffia.map(items, **on) { |item| raise IOError if Attempts.count(item) && item.last == 1 }
      end
    end
    assert_equal(1, attempts[1])
  end

  def test_what_will_not_get_better_is_not_tried_again
    [Raffia::ConfigError, Raffia::NotShareable, Raffia::NotDumpable].each do |hopeless|
      attempts = with_items(3, retries: 5) do |items, on|
        items = items.map { |item| [*item, hopeless] }
        assert_raises(hopeless) do
          Raffia.map(items, **on) do |folder, n, error|
            raise error if Attempts.count([folder, n]) && n == 1
          end
        end
      end
      assert_equal(1, attempts[1])
    end
  end

  def test_a_backoff_that_fails_ends_the_call
    with_items(9, retries: 5, backoff: ->(_) { raise KeyError, "no pause" }) do |items, on|
      assert_equal("no pause",
        assert_raises(KeyError) {
          Raffia.map(items, **on) { |item| raise IOError if item.last == 4 }
        }.message)
    end
  end

  def test_break_and_throw_are_no_failures
    need_cruby("break out of another thread") unless strategy == :inline
    with_items(9, retries: 5) do |items, on|
      assert_equal(4, Raffia.each(items,
        **on) { |item| break item.last if Attempts.count(item) && item.last == 4 })
    end
    with_items(9, retries: 5) do |items, on|
      assert_equal(4,
        catch(:out) { Raffia.each(items, **on) { |item| throw :out, item.last if item.last == 4 } })
    end
  end

  def test_during_a_pause_the_worker_does_other_items
    with_items(12, retries: 1, backoff: ->(_) { 1 }, workers: 1, ordered: false) do |items, on|
      results = Raffia.map(items, **on) do |item|
        (Attempts.count(item) == 1 && item.last == 2) ? raise(IOError) : item.last
      end
      assert_equal([*0..1, *3..11, 2], results)
    end
  end

  def test_the_pause_is_told_which_attempt_failed
    asked = []
    with_items(2, retries: 3, backoff: ->(attempt) { (asked << attempt) && 0 }) do |items, on|
      assert_raises(IOError) { Raffia.map(items, **on) { |item| raise IOError if item.last == 1 } }
    end
    assert_equal([1, 2, 3], asked)
  end

  def test_a_pause_that_would_pass_the_deadline_is_not_begun
    with_items(2, retries: 3, backoff: 60, timeout: 30) do |items, on|
      assert_raises(IOError) { Raffia.map(items, **on) { |item| raise IOError if item.last == 1 } }
    end
  end

  def test_a_call_in_a_pause_can_be_ended
    with_items(2, retries: 3, backoff: ->(_) { 1000 }, retry_on: EOFError, workers: 1,
      chunk: 1) do |items, on|
      assert_raises(IOError) do
        Raffia.map(items, **on) { |item| raise((item.last == 0) ? EOFError : IOError) }
      end
    end
  end

  def test_an_item_that_takes_too_long_is_named
    with_items(4, item_timeout: 0.5) do |items, on|
      error = assert_raises(Raffia::TimeoutError) do
        Raffia.map(items, **on) { |item| (item.last == 2) ? sleep(2) : item }
      end
      assert_equal([0.5, items[2], 2], [error.seconds, error.item, error.item_index])
    end
  end

  def test_an_item_that_takes_too_long_is_tried_again
    with_items(6, item_timeout: 0.5, retries: 1) do |items, on|
      assert_equal((0...6).to_a, Raffia.map(items,
        **on) { |item| (Attempts.count(item) == 1 && item.last == 3) ? sleep(2) : item.last })
    end
  end

  def test_time_for_each_item_is_not_time_for_all
    with_items(12, item_timeout: 5) do |items, on|
      assert_equal(12, Raffia.reduce(items, 0, combine: :+, **on) { |sum, _| sum + 1 })
    end
    with_items(12, item_timeout: 5) do |items, on|
      assert_equal(items[7], Raffia.find_any(items, **on) { |item| item.last == 7 })
    end
  end
end
