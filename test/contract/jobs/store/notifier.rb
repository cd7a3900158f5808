# frozen_string_literal: true

require_relative "case"

module JobsStoreContract
  # Waits for jobs. No test measures the time of one: a missed notification fails by the time-out of
  # the test.
  module Notifier
    include Case

    def test_a_wait_with_a_claimable_job_returns_at_once
      enqueue(1)
      store.wait(%w[other default], timeout: LONG)
      assert_equal([1], args(claim))
    end

    def test_a_wait_ends_with_its_timeout
      store.wait(%w[default], timeout: 0.05)
      store.wait(%w[default], timeout: 0)
      store.wait([], timeout: 0.05)
      assert_empty(claim)
    end

    def test_a_job_wakes_a_waiting_thread
      waiting = Thread.new { wait_for_job }
      enqueue(1)
      assert_equal([1], args(waiting.value))
    end

    def test_a_job_wakes_a_waiting_fiber
      in_fibers do |scope|
        waiting = scope.spawn { wait_for_job }
        enqueue(1)
        assert_equal([1], args(waiting.value))
      end
    end

    def test_a_waiting_fiber_lets_others_run
      in_fibers do |scope|
        waiting = scope.spawn { wait_for_job }
        assert_equal(100, scope.spawn { Array.new(100) { sleep(0) }.size }.value)
        enqueue(1)
        waiting.join
      end
    end

    def test_a_job_wakes_a_wait_for_several_queues
      waiting = Thread.new { wait_for_job(%w[a b c]) }
      enqueue(1, queue: "c")
      assert_equal([1], args(waiting.value))
    end

    def test_all_jobs_are_done_when_many_wait
      waiting = Array.new(4) do |n|
        Thread.new { wait_for_job(by: store.enroll("test:#{n}:w", {}, ttl: 600)) }
      end
      4.times { |n| enqueue(n) }
      assert_equal([0, 1, 2, 3], waiting.flat_map { |thread| args(thread.value) }.sort)
    end

    def test_a_released_job_wakes_a_wait
      enqueue(1)
      one = claim_one
      waiting = Thread.new { wait_for_job }
      store.release([one])
      assert_equal([1], args(waiting.value))
    end

    def test_a_resumed_queue_wakes_a_wait
      store.pause("default")
      enqueue(1)
      waiting = Thread.new { wait_for_job }
      store.resume("default")
      assert_equal([1], args(waiting.value))
    end

    def test_a_scheduled_job_is_done_when_its_time_comes
      enqueue(1, at: now + 0.3)
      wait_until do
        store.wait(%w[default], timeout: [store.promote || 0.1, 0.5].min)
        claim.any?
      end
    end

    # The wait knows of a later job, then an earlier one comes.
    def test_a_job_that_is_due_earlier_wakes_a_wait
      enqueue("late", at: now + LONG)
      waiting = Thread.new do
        wait_until(LONG) do
          claim.then { |found| found if found.any? } ||
            store.wait(%w[default], timeout: store.promote || LONG)
        end
      end
      enqueue("early", at: now + 0.3)
      assert_equal(["early"], args(waiting.value))
    end

    def test_a_wait_can_be_interrupted
      waiting = Array.new(2) { Thread.new { store.wait(%w[default]) } }
      wait_until do
        store.interrupt
        waiting.none?(&:alive?)
      end
    end

    def test_a_waiting_fiber_can_be_interrupted
      in_fibers do |scope|
        waiting = scope.spawn { store.wait(%w[default]) }
        sleep(0.01)
        Thread.new { store.interrupt }.join
        assert_nil(waiting.value)
      end
    end

    def test_an_interrupt_before_the_wait_is_not_lost
      store.interrupt
      store.wait(%w[default])
      store.wait(%w[default], timeout: 0.05) # and counts once
      assert_empty(claim)
    end

    def test_a_waiting_fiber_can_be_cancelled
      in_fibers do |scope|
        waiting = scope.spawn { store.wait(%w[default]) }
        sleep(0.01)
        waiting.cancel
        assert_raises(Raffia::Cancelled) { waiting.value }
        enqueue(1)
        assert_equal([1], args(wait_for_job))
      end
    end
  end
end
