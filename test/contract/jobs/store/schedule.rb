# frozen_string_literal: true

require_relative "case"

module JobsStoreContract
  # Jobs with a time.
  module Schedule
    include Case

    def test_without_anything_to_come_there_is_no_time_to_wait
      assert_nil(store.promote)
      enqueue(1)
      assert_nil(store.promote)
    end

    def test_what_is_not_due_stays
      enqueue(1, at: now + 1000)
      enqueue(2, at: now + 500)
      assert_in_delta(500, store.promote, 60)
      assert_equal([2, 1], args_in(:scheduled))
    end

    def test_what_is_due_goes_to_its_queue
      enqueue(1, at: now + 0.2, queue: "mail")
      enqueue(2, at: now + 1000)
      wait_until { store.promote && places == {queue: 1, scheduled: 1} }
      assert_equal([1], args_in(:queue, queue: "mail"))
    end

    def test_it_is_enqueued_only_now
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

    def test_what_is_tried_again_is_due_too
      enqueue(1, 2)
      claims = claim
      store.retry(claims[0], claims[0].payload, now - 1)
      store.retry(claims[1], claims[1].payload, now + 1000)
      assert_places(retry: 2)
      assert_in_delta(1000, store.promote, 60)
      assert_equal([1], args(claim))
      assert_places(retry: 1, running: 1)
    end

    def test_what_is_promoted_goes_behind_what_waits
      enqueue("late")
      one = claim_one
      store.retry(one, one.payload, now - 1)
      enqueue("waits")
      store.promote
      assert_equal(%w[waits late], args(claim))
    end

    def test_there_may_be_more_than_one_call_takes
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

    def test_what_cannot_be_read_is_promoted_as_it_is
      store.enqueue([Jobs::Draft.new(jid: "0" * 24, queue: "default", payload: "no JSON", at: nil,
        extras: nil)])
      store.retry(claim_one, "no JSON", now - 1)
      assert_nil(store.promote)
      assert_equal("no JSON", claim_one.payload)
    end
  end
end
