# frozen_string_literal: true

require_relative "case"

module JobsStoreContract
  # Turns of keys within a queue.
  module Fairness
    include Case

    def test_tenants_with_the_most_waiting_jobs
      {"ann" => 3, "bob" => 5, "cid" => 1}.each do |key, count|
        store.enqueue(Array.new(count) { |n| draft(n, own: {fair: {"key" => key}}) })
      end
      enqueue(1, 2)
      store.enqueue([draft(9, queue: "other", own: {fair: {"key" => "dan"}})])
      claim(1)
      found = store.tenants("default", limit: 2).map { |one| one.values_at("key", "waiting") }
      assert_equal([["bob", 5], ["ann", 3]], found) # the plain job was first
      assert_equal([{"key" => "dan", "waiting" => 1, "paused" => false}], store.tenants("other"))
      assert_equal([], store.tenants("none"))
    end

    def test_a_paused_tenant_holds_up_no_others
      store.enqueue(%w[a1 a2 b1 a3].map { |arg| fair(arg) })
      store.pause("default", tenant: "a")
      assert_equal(%w[b1], args(claim))
      assert_equal([], claim)
      store.enqueue([fair("a4"), fair("b2"), fair("a5", queue: "other")])
      assert_equal(%w[b2], args(claim))
      assert_equal(%w[a5], args(claim(queues: %w[other])))
      assert_places(running: 3, blocked: 4)
      assert_equal([{"key" => "a", "waiting" => 0, "paused" => true}], store.tenants("default"))
      assert_equal([], store.check)
    end

    def test_a_resumed_tenant_goes_on_in_its_order
      store.enqueue(%w[a1 a2 a3 b1].map { |arg| fair(arg) })
      store.pause("default", tenant: "a")
      assert_equal(%w[b1], args(claim))
      store.enqueue([fair("c1"), fair("c2")])
      store.resume("default", tenant: "a")
      assert_equal(%w[a1 a2 a3 c1 c2], args(found = claim).sort)
      assert_equal(%w[a1 a2 a3], args(found).grep(/a/))
    end

    def test_a_resumed_tenant_with_many_jobs_takes_turns
      store.enqueue([*Array.new(1200) { |n| fair("a#{n}") }, fair("b")])
      2.times { store.pause("default", tenant: "a") }
      assert_equal(%w[b], args(claim(5)))
      store.enqueue([fair("c1"), fair("c2")])
      2.times { store.resume("default", tenant: "a") }
      assert_equal([], store.entries(:blocked))
      assert_equal(%w[c1 c2], args(claim(5)).grep(/c/))
      assert_equal(["a", 1197, false], store.tenants("default")[0].values)
      assert_equal([], store.check)
      store.clear(:queue)
    end

    def test_jobs_of_a_paused_tenant_are_removed_and_requeued_by_hand
      store.pause("default", tenant: "a")
      store.enqueue(%w[a1 a2 a3].map { |arg| fair(arg) })
      assert_equal([], claim)
      entries = store.entries(:blocked)
      assert_equal([1, 1], [store.delete(entries.first(1)), store.requeue(entries.last(1))])
      assert_places(queue: 1, blocked: 1)
      assert_equal([], claim)
      assert_equal(2, store.clear(:blocked))
      store.resume("default", tenant: "a")
      assert_places
      assert_equal([], store.check)
    end

    # It counts for neither: others start in its place.
    def test_a_paused_tenant_holds_no_limit_and_no_rate
      own = {limit: {"key" => "l", "max" => 1},
             rate: {"name" => "r", "key" => "r", "allow" => 2, "per" => 3600}}
      store.enqueue([fair("a1", own: own), fair("a2", own: own), fair("b1", own: own)])
      store.pause("default", tenant: "a")
      found = []
      wait_until { found.concat(claim).any? }
      assert_equal(%w[b1], args(found))
      assert_equal(1, store.rate("r")["tokens"])
      store.ack(found)
      assert_equal([], claim)
      store.resume("default", tenant: "a")
      wait_until { (found = claim).any? }
      assert_equal(%w[a1], args(found))
      assert_equal([], store.check)
    end

    # The end of a job returns one that its limit blocks: when that may not run, the next one may.
    def test_a_pause_and_a_rate_hand_on_the_place_in_a_limit
      limit = {limit: {"key" => "l", "max" => 1}}
      rate = {rate: {"name" => "r", "key" => "r", "allow" => 1, "per" => 3600}}
      store.enqueue([fair("x", own: limit), fair("a", own: limit),
        fair("b", own: {**limit, **rate}), fair("c", own: limit)])
      first = claim
      assert_equal([%w[x], 3], [args(first), store.counts[:blocked]])
      store.pause("default", tenant: "a")
      store.close_rate("r", 3600)
      store.ack(first)
      found = []
      wait_until { found.concat(claim).any? }
      assert_equal(%w[c], args(found))
      assert_places(running: 1, blocked: 2)
      assert_equal([], store.check)
    end

    def fair(arg, key = arg[0], weight: nil, **how)
      own = {fair: {"key" => key, "weight" => weight}.compact, **how.fetch(:own, {})}
      draft(arg, **how, own: own)
    end

    def test_keys_take_turns
      store.enqueue(%w[a1 a2 a3 b1 b2 c1].map { |arg| fair(arg) })
      assert_equal(%w[a1 b1 c1 a2 b2 a3], args(claim))
    end

    def test_a_newcomer_waits_for_one_job_of_each_key
      store.enqueue(Array.new(50) { |n| fair("a#{n}") })
      store.enqueue(Array.new(50) { |n| fair("b#{n}") })
      store.ack(claim(20))
      store.enqueue([fair("new", "new")])
      assert_includes(args(claim(3)), "new")
    end

    def test_a_key_with_more_weight_has_more_turns
      store.enqueue(Array.new(90) { |n| fair("a#{n}", weight: 3) })
      store.enqueue(Array.new(90) { |n| fair("b#{n}") })
      counts = args(claim(80)).map { |arg| arg[0] }.tally
      assert_in_delta(60, counts["a"], 2)
    end

    def test_priorities_come_first
      store.enqueue([*%w[a1 a2 b1].map { |arg| fair(arg) }, fair("c1", own: {priority: 1})])
      assert_equal(%w[c1 a1 b1 a2], args(claim))
    end

    def test_jobs_without_a_key_come_first
      store.enqueue([fair("a1"), fair("a2"), fair("b1"), draft("plain")])
      store.ack(claim(2))
      store.enqueue([draft("later")])
      assert_equal("later", args(claim).first)
    end

    def test_a_released_job_keeps_its_turn
      store.enqueue(%w[a1 a2 b1 b2].map { |arg| fair(arg) })
      store.release(claim(2))
      assert_equal(%w[a1 b1 a2 b2], args(claim))
    end

    # It had its turn; its next one is counted from now on.
    def test_a_job_that_comes_back_later_takes_a_new_turn
      store.enqueue(Array.new(10) { |n| fair("a#{n}") })
      one = claim_one_of(1)
      store.ack(claim(4))
      store.retry(one, one.payload, now - 1)
      store.promote
      store.enqueue([fair("b1")])
      assert_equal(%w[a5 b1], args(claim(2)).sort)
      assert_equal("a0", args(claim).last)
    end

    def test_scheduled_jobs_take_their_turn_when_they_are_due
      store.enqueue([*Array.new(4) { |n| fair("a#{n}") }, fair("b1", at: now + 0.05)])
      wait_until { store.promote.nil? }
      assert_equal(%w[a0 b1 a1 a2 a3], args(claim))
    end

    def test_the_queue_is_shown_in_the_order_of_its_turns
      store.enqueue(%w[a1 a2 a3 b1 b2 c1].map { |arg| fair(arg) })
      assert_equal(%w[a1 b1 c1 a2 b2 a3], args_in(:queue))
    end

    def test_removed_jobs_leave_the_turns_of_others
      store.enqueue(%w[a1 a2 a3 b1 b2].map { |arg| fair(arg) })
      store.delete(store.entries(:queue).select { |entry| %w[a1 b2].include?(entry.item["args"][0]) })
      assert_equal(%w[b1 a2 a3].sort, args(claim).sort)
      assert_equal([], store.check)
    end

    private

    def claim_one_of(limit) = claim(limit).first
  end
end
