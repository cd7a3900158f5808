# frozen_string_literal: true

require_relative "case"

module JobsStoreContract
  # Ends of claims, each of them once.
  module Completion
    include Case

    def test_ack_ends_jobs
      enqueue(1, 2, 3)
      claims = claim
      assert_equal([true, true], store.ack(claims.first(2)))
      assert_places(running: 1)
      assert_equal([false, true], store.ack([claims.first, claims.last]))
      assert_places
      assert_equal([], store.ack([]))
    end

    def test_a_failed_job_waits_for_its_next_try_with_its_failure
      enqueue(1)
      one = claim_one
      at = now + 500
      payload = Jobs::Payload.dump({**one.item, "retry_count" => 0, "error_message" => "oh"})
      assert_same(true, store.retry(one, payload, at))
      assert_places(retry: 1)
      entry = store.entries(:retry).first
      assert_equal(payload, entry.payload)
      assert_in_delta(at, entry.at, 0.01)
    end

    def test_a_job_that_failed_for_good_is_dead
      enqueue(1)
      one = claim_one
      payload = Jobs::Payload.dump({**one.item, "error_message" => "oh"})
      before = now
      assert_same(true, store.bury(one, payload))
      assert_places(dead: 1)
      entry = store.entries(:dead).first
      assert_equal(payload, entry.payload)
      assert_operator(entry.at, :>=, before - 60, "when it was buried")
    end

    def test_a_discarded_job_is_gone
      enqueue(1)
      assert_same(true, store.discard(claim_one))
      assert_places
    end

    def test_released_jobs_are_in_front_in_their_order_and_unchanged
      enqueue(1, 2, 3)
      claims = claim(2)
      assert_equal(2, store.release(claims))
      assert_places(queue: 3)
      again = claim
      assert_equal([1, 2, 3], args(again))
      assert_equal(claims.map(&:payload), again.first(2).map(&:payload))
      assert_equal(0, store.release([]))
    end

    def test_released_jobs_are_in_front_of_their_priority
      store.enqueue([draft("low", own: {priority: -1}), draft(1, own: {priority: 1}),
        draft("high", own: {priority: 9})])
      claims = claim
      enqueue(0)
      store.enqueue([draft("new", own: {priority: 1})])
      store.release(claims)
      assert_equal(["high", 1, "new", 0, "low"], args(claim))
    end

    def test_acks_of_several_leases_are_answered_in_the_order_of_the_claims
      enqueue(1, 2, 3)
      other = store.enroll("test:another:#{object_id.to_s(16)}", {}, ttl: 600)
      first, lost, last = [lease, other, lease].map { |by| claim(1, by: by).first }
      store.release([lost])
      assert_equal([true, false, true], store.ack([first, lost, last]))
    end

    # A finished claim stays so: each of these calls came too late.
    def test_a_claim_ends_once
      payload = nil
      ends = {
        ack: ->(one) { store.ack([one]).first },
        retry: ->(one) { store.retry(one, payload, now + 900) },
        bury: ->(one) { store.bury(one, payload) },
        discard: ->(one) { store.discard(one) }, release: ->(one) { store.release([one]) == 1 }
      }
      ends.each do |name, first|
        enqueue(1)
        one = claim_one
        payload = one.payload
        assert(first.call(one), name)
        before = places
        ends.each { |late, again| refute(again.call(one), "#{late} after #{name}") }
        assert_equal(before, places, name)
        %i[queue retry dead].each { |set| store.clear(set) }
      end
    end

    def test_a_released_claim_differs_from_the_next_claim_of_its_job
      enqueue(1)
      first = claim_one
      store.release([first])
      second = claim_one
      assert_equal([false], store.ack([first]))
      assert_places(running: 1)
      assert_equal([true], store.ack([second]))
    end
  end
end
