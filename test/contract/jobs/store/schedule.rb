# frozen_string_literal: true

require_relative "case"

module JobsStoreContract
  # Jobs with a time.
  module Schedule
    include Case

    def test_without_scheduled_jobs_promote_returns_nil
      assert_nil(store.promote)
      enqueue(1)
      assert_nil(store.promote)
    end

    def test_jobs_that_are_not_due_stay
      enqueue(1, at: now + 1000)
      enqueue(2, at: now + 500)
      assert_in_delta(500, store.promote, 60)
      assert_equal([2, 1], args_in(:scheduled))
    end

    def test_due_jobs_go_to_their_queues
      enqueue(1, at: now + 0.2, queue: "mail")
      enqueue(2, at: now + 1000)
      wait_until { store.promote && places == {queue: 1, scheduled: 1} }
      assert_equal([1], args_in(:queue, queue: "mail"))
    end

    def test_promotion_sets_the_time_of_the_enqueue
      enqueue(1, at: now + 900)
      refute(store.entries(:scheduled).first.item.key?("enqueued_at"))
      enqueue(2)
      one = claim_one
      store.retry(one, Jobs::Payload.dump(one.item.except("enqueued_at")), now - 1)
      store.promote
      item = claim_one.item
      assert_in_delta(now, Jobs::Payload.time(item["enqueued_at"]), 60)
      assert_equal([2], item["args"])
    end

    def test_due_retries_are_promoted
      enqueue(1, 2)
      claims = claim
      store.retry(claims[0], claims[0].payload, now - 1)
      store.retry(claims[1], claims[1].payload, now + 1000)
      assert_places(retry: 2)
      assert_in_delta(1000, store.promote, 60)
      assert_equal([1], args(claim))
      assert_places(retry: 1, running: 1)
    end

    def test_promoted_jobs_go_behind_waiting_ones
      enqueue("late")
      one = claim_one
      store.retry(one, one.payload, now - 1)
      enqueue("waits")
      store.promote
      assert_equal(%w[waits late], args(claim))
    end

    def test_one_promotion_takes_a_limited_number
      enqueue(*0...5)
      claim.each { |one| store.retry(one, one.payload, now - 10 + one.item["args"].first) }
      assert_equal(0, store.promote(2))
      assert_places(retry: 3, queue: 2)
      assert_nil(store.promote(1000))
      assert_equal([0, 1, 2, 3, 4], args(claim))
    end

    def test_a_job_that_is_due_is_promoted_once
      enqueue(*0...50)
      claim(50).each { |one| store.retry(one, one.payload, now - 1) }
      Array.new(6) { Thread.new { 10.times { store.promote(3) } } }.each(&:join)
      store.promote
      assert_equal((0...50).to_a, args(claim(100)).sort)
      assert_places(running: 50)
    end

    def test_unreadable_payloads_are_promoted_unchanged
      store.enqueue([Jobs::Draft.new(jid: "0" * 24, queue: "default", payload: "no JSON", at: nil,
        extras: nil)])
      store.retry(claim_one, "no JSON", now - 1)
      assert_nil(store.promote)
      assert_equal("no JSON", claim_one.payload)
    end
  end
end
