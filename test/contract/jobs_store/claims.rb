# frozen_string_literal: true

require_relative "case"

module JobsStoreContract
  # Jobs are claimed, and claims end.
  module Claims
    include Case

    def test_the_oldest_is_claimed_first
      3.times { |n| enqueue(n) }
      assert_equal([[0], [1], [2], []], Array.new(4) { args(claim(1)) })
      assert_places(running: 3)
    end

    def test_queues_are_emptied_in_the_order_of_the_names
      enqueue("low", queue: "low")
      enqueue("high", "high too", queue: "high")
      enqueue("other", queue: "other")
      assert_equal(["high", "high too", "low"], args(claim(queues: %w[high low nothing])))
      assert_places(queue: 1, running: 3)
    end

    def test_within_a_queue_the_higher_priority_comes_first
      store.enqueue([draft(0), draft(-1, own: {priority: -1}), draft(5, own: {priority: 5}), draft(0.5), draft(5.5, own: {priority: 5})])
      assert_equal([5, 5.5, 0, 0.5, -1], args_in(:queue))
      assert_equal([5, 5.5, 0, 0.5, -1], args(claim))
    end

    def test_a_claim_has_all_that_its_worker_needs
      one = draft(1, queue: "mail", own: {timeout: 5})
      store.enqueue([one])
      claimed = claim_one(queues: %w[mail])
      assert_equal([lease, "mail", one.payload, one.jid, {"timeout" => 5}], [claimed.lease, claimed.queue, claimed.payload, claimed.item["jid"], claimed.extras])
    end

    def test_nothing_to_claim_is_an_empty_list
      assert_equal([], claim(queues: %w[default never_seen]))
      enqueue(1)
      assert_equal([], claim(queues: []))
      assert_equal([], claim(0))
    end

    def test_who_has_ended_claims_nothing
      enqueue(1)
      gone = store.enroll("test:1:a", {}, ttl: 600)
      store.resign(gone)
      assert_equal([], claim(by: gone))
      assert_places(queue: 1)
    end

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

    def test_released_jobs_come_first_again_in_their_order_and_unchanged
      enqueue(1, 2, 3)
      claims = claim(2)
      assert_equal(2, store.release(claims))
      assert_places(queue: 3)
      again = claim
      assert_equal([1, 2, 3], args(again))
      assert_equal(claims.map(&:payload), again.first(2).map(&:payload))
      assert_equal(0, store.release([]))
    end

    def test_released_jobs_go_before_those_of_their_priority
      store.enqueue([draft("low", own: {priority: -1}), draft(1, own: {priority: 1}), draft("high", own: {priority: 9})])
      claims = claim
      enqueue(0)
      store.enqueue([draft("new", own: {priority: 1})])
      store.release(claims)
      assert_equal(["high", 1, "new", 0, "low"], args(claim))
    end

    # What has ended stays so: each of these is a call that came too late.
    def test_a_claim_ends_once
      payload = nil
      ends = {
        ack: ->(one) { store.ack([one]).first }, retry: ->(one) { store.retry(one, payload, now + 900) }, bury: ->(one) { store.bury(one, payload) },
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

    def test_a_claim_that_was_released_is_not_the_claim_that_came_after_it
      enqueue(1)
      first = claim_one
      store.release([first])
      second = claim_one
      assert_equal([false], store.ack([first]))
      assert_places(running: 1)
      assert_equal([true], store.ack([second]))
    end

    def test_jobs_that_have_expired_are_thrown_away
      store.enqueue([draft(1, own: {expires_at: now - 1}), draft(2, own: {expires_at: now + 900}), draft(3, own: {expires_at: now - 1})])
      assert_equal([2], args(claim))
      assert_places(running: 1)
    end

    def test_a_paused_queue_is_left_alone
      enqueue(1)
      enqueue(2, queue: "other")
      store.pause("default")
      assert_equal([2], args(claim(queues: %w[default other])))
      enqueue(3)
      assert_equal([], claim)
      store.resume("default")
      assert_equal([1, 3], args(claim))
    end

    def test_each_job_is_claimed_by_one
      enqueue(*0...300)
      got = Array.new(6) do |n|
        Thread.new do
          mine = store.enroll("test:#{n}:t", {}, ttl: 600)
          found = []
          while (claims = store.claim(mine, %w[default], 7)).any?
            found.concat(args(claims))
            assert(store.ack(claims).all?)
          end
          found
        end
      end.flat_map(&:value)
      assert_equal((0...300).to_a, got.sort)
      assert_places
    end

    def test_fibers_may_claim_and_ack_at_once
      enqueue(*0...60)
      got = in_fibers do |scope|
        Array.new(20) { scope.spawn { claim(3).tap { |claims| store.ack(claims) } } }.flat_map(&:value)
      end
      assert_equal((0...60).to_a, args(got).sort)
      assert_places
    end
  end
end
