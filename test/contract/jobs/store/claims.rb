# frozen_string_literal: true

require_relative "case"

module JobsStoreContract
  # Claims of waiting jobs.
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
      store.enqueue([draft(0), draft(-1, own: {priority: -1}), draft(5, own: {priority: 5}),
        draft(0.5), draft(5.5, own: {priority: 5})])
      assert_equal([5, 5.5, 0, 0.5, -1], args_in(:queue))
      assert_equal([5, 5.5, 0, 0.5, -1], args(claim))
    end

    def test_a_claim_has_all_that_its_worker_needs
      one = draft(1, queue: "mail", own: {timeout: 5})
      store.enqueue([one])
      claimed = claim_one(queues: %w[mail])
      assert_equal([lease, "mail", one.payload, one.jid, {"timeout" => 5}],
        [claimed.lease, claimed.queue, claimed.payload, claimed.item["jid"], claimed.extras])
    end

    def test_nothing_to_claim_is_an_empty_list
      assert_equal([], claim(queues: %w[default never_seen]))
      enqueue(1)
      assert_equal([], claim(queues: []))
      assert_equal([], claim(0))
    end

    def test_a_worker_that_resigned_claims_nothing
      enqueue(1)
      gone = store.enroll("test:1:a", {}, ttl: 600)
      store.resign(gone)
      assert_equal([], claim(by: gone))
      assert_places(queue: 1)
    end

    def test_expired_jobs_are_discarded
      store.enqueue([draft(1, own: {expires_at: now - 1}), draft(2, own: {expires_at: now + 900}),
        draft(3, own: {expires_at: now - 1})])
      assert_equal([2], args(claim))
      assert_places(running: 1)
      assert_equal({"default" => 2}, store.expired)
      store.enqueue([draft(4, own: {expires_at: now - 1})])
      assert_equal([], claim)
      assert_equal({"default" => 3}, store.expired)
    end

    def test_no_jobs_are_claimed_from_a_paused_queue
      enqueue(1)
      enqueue(2, queue: "other")
      store.pause("default")
      assert_equal([2], args(claim(queues: %w[default other])))
      enqueue(3)
      assert_equal([], claim)
      store.resume("default")
      assert_equal([1, 3], args(claim))
    end

    def test_a_resumed_queue_is_claimed_from_again
      enqueue(1)
      store.pause("default")
      waiting = Thread.new { wait_for_job }
      wait_until { waiting.stop? }
      store.resume("default")
      assert_equal([1], args(waiting.value))
    end

    def test_each_job_is_claimed_once
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
        Array.new(20) { scope.spawn { claim(3).tap { |claims| store.ack(claims) } } }
          .flat_map(&:value)
      end
      assert_equal((0...60).to_a, args(got).sort)
      assert_places
    end
  end
end
