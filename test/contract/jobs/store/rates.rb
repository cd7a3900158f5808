# frozen_string_literal: true

require_relative "case"

module JobsStoreContract
  # Starts of jobs with a key in a time.
  module Rates
    include Case

    HOUR = 3600

    def rated(arg, allow: 2, per: HOUR, key: "k", cost: nil, style: nil, burst: nil, name: "limit",
      **how)
      rate = {"name" => name, "key" => key, "allow" => allow, "per" => per, "cost" => cost,
              "style" => style, "burst" => burst}.compact
      draft(arg, **how, own: {rate: rate, **how.fetch(:own, {})})
    end

    def test_no_more_jobs_start_than_the_rate_allows
      store.enqueue(Array.new(5) { |n| rated(n) })
      assert_equal([0, 1], args(claims = claim))
      assert_equal([2, 3, 4], args_in(:blocked))
      store.ack(claims)
      assert_equal([], claim)
      assert_places(blocked: 3)
      assert_equal([], store.check)
    end

    def test_other_keys_and_jobs_without_a_rate_go_on
      store.enqueue([*Array.new(30) { |n| rated(n) }, draft("plain"), rated("other", key: "o")])
      assert_equal([0, 1, "plain", "other"], args(claim))
    end

    def test_a_rate_holds_for_all_workers_and_queues
      store.enqueue([rated(1, queue: "a", allow: 1), rated(2, queue: "b", allow: 1)])
      assert_equal([1], args(claim(queues: %w[a])))
      assert_equal([], claim(queues: %w[b], by: store.enroll("test:9:r", {}, ttl: 600)))
    end

    # In the order of their enqueue, before jobs that came later.
    def test_blocked_jobs_start_when_their_time_has_come
      store.enqueue(Array.new(4) { |n| rated(n, per: 0.4) })
      assert_equal([0, 1], args(claim))
      store.enqueue([rated(4, per: 0.4)])
      assert_equal([2, 3], args(claim_when_open(2)))
      assert_equal([4], args(claim_when_open(1)))
    end

    def test_a_bucket_starts_its_burst_and_then_one_by_one
      store.enqueue(Array.new(5) { |n| rated(n, style: "bucket", allow: 10, per: 2, burst: 2) })
      assert_equal([0, 1], args(claim))
      assert_equal([2, 3, 4], args(claim_when_open(3)))
    end

    def test_no_window_has_more_starts_than_the_rate
      store.enqueue(Array.new(20) { |n| rated(n, allow: 4, per: 0.3) })
      starts = []
      wait_until do
        starts.concat([store.now] * claim(3).size)
        store.promote
        starts.size == 20
      end
      starts.each_cons(5) { |first, *, last| assert_operator(last - first, :>=, 0.29) }
    end

    def test_promote_tells_when_a_rate_opens
      assert_nil(store.promote)
      store.enqueue([rated(1, allow: 1), rated(2, allow: 1)])
      claim
      assert_in_delta(HOUR, store.promote, 30)
    end

    def test_a_job_may_count_for_several_starts
      store.enqueue([rated(1, allow: 5, cost: 3), rated(2, allow: 5, cost: 3)])
      assert_equal([1], args(claim))
      assert_equal([2], args_in(:blocked))
      assert_equal(2, store.rate("k")["tokens"])
    end

    def test_a_job_that_costs_more_than_there_ever_is_starts_alone
      store.enqueue([rated(1, allow: 2, cost: 9), rated(2, allow: 2)])
      assert_equal([1], args(claim))
      assert_equal([2], args_in(:blocked))
    end

    def test_jobs_that_did_not_begin_do_not_count
      store.enqueue(Array.new(3) { |n| rated(n) })
      store.release(claim, begun: false)
      assert_equal([0, 1], args(claim))
      store.release(claims = claim_more_than(0))
      assert_equal([], claims)
    end

    def test_interrupted_jobs_count
      store.enqueue(Array.new(2) { |n| rated(n) })
      store.release(claim)
      assert_equal([], claim)
      assert_places(blocked: 2)
    end

    def test_jobs_of_a_dead_worker_count
      store.enqueue([rated(1, allow: 1)])
      lose
      assert_equal([], claim + claim(suspects: true))
      assert_places(blocked: 1)
    end

    def test_a_rate_can_be_changed_while_jobs_wait
      store.enqueue(Array.new(5) { |n| rated(n) })
      store.change_rate("limit", {"allow" => 3, "per" => HOUR, "style" => "window"})
      assert_equal([0, 1, 2], args(claim))
      store.change_rate("limit", {"allow" => 4, "per" => HOUR, "style" => "window"})
      assert_equal([3], args(claim_when_open(1)))
      store.change_rate("limit", nil)
      assert_equal([], claim)
    end

    def test_a_closed_key_starts_nothing
      store.close_rate("k", HOUR)
      store.enqueue([rated(1), rated(2, key: "other")])
      assert_equal([2], args(claim))
      assert_in_delta(now + HOUR, store.rate("k")["closed_until"], 30)
      store.close_rate("k", 0)
      assert_equal([1], args(claim_when_open(1)))
    end

    def test_the_state_of_a_rate
      assert_equal({}, store.rate("k"))
      store.enqueue(Array.new(3) { |n| rated(n) })
      claim
      status = store.rate("k")
      expected = {"name" => "limit", "key" => "k", "allow" => 2, "per" => HOUR, "tokens" => 0,
                  "blocked" => 1, "closed_until" => nil, "style" => "window"}
      assert_equal(expected, status.slice(*expected.keys))
      assert_in_delta(now + HOUR, status["opens_at"], 30)
      assert_equal([status], store.rates)
    end

    def test_blocked_jobs_can_be_removed_requeued_and_killed_by_hand
      store.enqueue(Array.new(5) { |n| rated(n) })
      store.ack(claim)
      entries = store.entries(:blocked)
      assert_equal(1, store.delete(entries.first(1)))
      assert_equal(1, store.requeue(entries.last(1)))
      assert_places(queue: 1, blocked: 1)
      assert_equal([], claim)
      assert_equal(2, store.clear(:blocked))
      assert_places
      assert_equal([], store.check)
    end

    def test_a_limit_comes_before_a_rate
      store.enqueue(Array.new(3) { |n|
        rated(n, own: {limit: {"key" => "l", "max" => 1}})
      })
      one = claim_one
      assert_places(running: 1, blocked: 2)
      store.ack([one])
      assert_equal(1, args([claim_one]).first)
    end

    def test_many_blocked_jobs_do_not_keep_others_waiting
      store.enqueue([*Array.new(300) { |n| rated(n, allow: 1) }, draft("other")])
      assert_equal([0, "other"], args(claim(2)))
      assert_places(running: 2, blocked: 299)
    end

    def test_a_wait_ends_when_a_rate_opens
      store.enqueue(Array.new(2) { |n| rated(n, allow: 1, per: 0.3) })
      assert_equal([0], args(claim))
      thread = Thread.new do
        wait_until do
          store.promote
          store.entries(:blocked).empty?
        end
      end
      assert_equal([1], args(wait_for_job))
      thread.join
    end

    # A worker without other work holds a job until its time.
    def test_a_claim_ahead_takes_jobs_whose_rate_opens_soon
      [nil, "bucket"].each do |style|
        key = "ahead #{style}"
        store.enqueue(Array.new(3) { |n| rated(n, allow: 1, per: 1, key: key, style: style) })
        assert_equal([0], args(claim))
        found = []
        before = nil
        wait_until do
          before = store.now
          (found = claim(ahead: true)).any?
        end
        assert_equal([1], args(found))
        assert_operator(found[0].delay.to_f, :<=, 0.25)
        assert_operator(store.rate(key)["opens_at"], :>, before + 0.9)
        store.clear(:blocked)
      end
    end

    def test_a_wait_ends_in_time_for_a_claim_ahead
      store.enqueue(Array.new(2) { |n| rated(n, allow: 1, per: 0.5) })
      assert_equal([0], args(claim))
      found = []
      wait_until do
        store.wait(%w[default], timeout: 10)
        (found = claim(ahead: true)).any?
      end
      assert_equal([1], args(found))
    end

    def test_promote_may_leave_rates_to_claims
      store.enqueue([rated(1, allow: 1, per: 0.2), rated(2, allow: 1, per: 0.2)])
      claim
      assert_nil(store.promote(rates: false))
      assert_places(running: 1, blocked: 1)
      found = []
      wait_until { (found = claim).any? }
      assert_equal([2], args(found))
    end

    def test_old_keys_are_forgotten
      store.enqueue([rated(1, per: 0.1)])
      store.ack(claim)
      wait_until do
        store.prune
        store.rate("k").empty?
      end
    end

    private

    # Claims so many jobs as rates open.
    def claim_when_open(count)
      found = []
      wait_until do
        store.promote
        found.concat(claim)
        found.size >= count
      end
      found
    end

    def claim_more_than(count) = claim.tap { |claims| assert_operator(claims.size, :>=, count) }
  end
end
