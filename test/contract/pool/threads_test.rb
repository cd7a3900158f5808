# frozen_string_literal: true

require_relative "pool_contract"

class PoolThreadsTest < Raffia::TestCase
  include PoolContract

  def strategy = :threads

  def test_ten_thousand_tasks_need_no_more_threads_than_workers
    run_on(workers: 8) do |on|
      threads = Raffia.map(1..10_000, chunk: 1, **on) { Thread.current }.uniq
      assert_operator(threads.size, :<=, 8)
      refute_includes(threads, Thread.current)
    end
  end

  def test_items_are_worked_on_at_once
    run_on(workers: 3) do |on|
      gate = Thread::Queue.new
      arrived = Thread::Queue.new
      assert_equal([1, 2, 3], Raffia.map([1, 2, 3], chunk: 1,
        **on) { |n|
        arrived << n
        (3.times { gate << true } if arrived.size == 3)
        gate.pop &&
                 n
      }) # standard:disable Style/Semicolon
    end
  end

  def test_ensure_blocks_run_when_the_work_is_stopped
    cleaned = Thread::Queue.new
    run_on(workers: 2) do |on|
      entered = Thread::Queue.new
      assert_raises(ArgumentError) do
        Raffia.each([:wait, :fail], chunk: 1, **on) do |what|
          if what == :fail
            entered.pop
            raise ArgumentError
          end
          entered << true
          sleep
        ensure
          cleaned << what
        end
      end
    end
    assert_equal(2, cleaned.size)
  end

  def test_a_block_that_swallows_its_cancellation_is_ended_all_the_same
    run_on(workers: 1, timeout: 0.05) do |on|
      assert_raises(Raffia::TimeoutError) do
        Raffia.each([1], **on) do
          sleep
        rescue Exception # standard:disable Lint/RescueException
          sleep
        end
      end
    end
  end

  def test_fiber_storage_reaches_the_workers
    Fiber[:raffia_test] = "here"
    run_on { |on| assert_equal(["here"], Raffia.map([1], **on) { Fiber[:raffia_test] }) }
  ensure
    Fiber[:raffia_test] = nil
  end

  # On each strategy whose blocks can reach the Array.
  def test_a_block_that_changes_its_input_changes_nothing
    %i[inline threads].each do |on|
      items = (1..40).to_a
      assert_equal (1..40).to_a, Raffia.map(items, on: on, workers: 2, &->(n) { items.clear && n })
      assert_empty items
      assert_equal 820, Raffia.reduce(items.replace([*1..40]), on: on,
        workers: 2, &->(sum, n) { items.push(0) && sum + n })
    end
  end

  def test_a_killed_thread_is_missed_with_the_item_of_its_chunk
    run_on(workers: 1) do |on|
      [{}, {retries: 1}].each do |options|
        error = assert_raises(Raffia::WorkerDied) do
          Raffia.each(1..10, chunk: 5, **on, **options) { |n| Thread.exit if n == 8 }
        end
        assert_equal [8, 7], [error.item, error.index]
      end
      assert_equal 3,
        assert_raises(Raffia::WorkerDied) {
          Raffia.find_any(1..5, chunk: 5, **on) { |n| Thread.exit if n == 3 }
        }.item
      assert_equal 3,
        assert_raises(Raffia::WorkerDied) {
          Raffia.reduce(1..5, chunk: 5, **on) { |_, n| Thread.exit if n == 3 }
        }.item
    end
  end

  def test_a_worker_that_kills_its_thread_is_missed
    run_on do |on|
      error = assert_raises(Raffia::WorkerDied) do
        Raffia.map(1..100, chunk: 1, **on) { |n| (n == 50) ? Thread.current.kill : n }
      end
      assert_equal([50, 49], [error.item, error.index])
      assert_match(/killed while it worked on item 49: .*use next to end an item/, error.message)
    end
  end
end
