# frozen_string_literal: true

require_relative "case"

module JobsStoreContract
  # Leases of workers, and their heartbeats.
  module Leases
    include Case

    def enroll(ttl: 600, **info)
      store.enroll("test:#{::Process.pid}:#{rand(1 << 64).to_s(16)}", info.transform_keys(&:to_s),
        ttl: ttl)
    end

    def test_each_lease_has_a_higher_token
      leases = Array.new(3) { enroll(ttl: 7) }
      assert_equal(leases.map(&:token).sort, leases.map(&:token))
      assert_equal(3, leases.map(&:token).uniq.size)
      assert_equal([7], leases.map(&:ttl).uniq)
      assert_equal(Jobs::Store::LEASE, store.enroll("test:1:b", {}).ttl)
    end

    def test_concurrent_leases_have_different_tokens
      tokens = Array.new(8) { Thread.new { enroll.token } }.map(&:value)
      assert_equal(8, tokens.uniq.size)
    end

    def test_a_beat_without_orders_is_an_empty_list
      assert_equal([], store.beat(lease))
      assert_equal([], store.beat(lease,
        {"busy" => 1, "quiet" => false, "rss" => 1000, "work" => []}))
    end

    def test_jobs_of_a_living_worker_are_not_recovered
      enqueue(1)
      one = claim_one
      assert_equal([], store.recover)
      assert_equal([true], store.ack([one]))
    end

    # The test measures the time between heartbeats, because a busy machine may delay them for
    # longer than the lease. Then it tries a longer one.
    def test_heartbeats_extend_a_lease
      [1, 1, 2, 4, 8].each do |ttl|
        apart, held = beat_for(ttl * 1.4, ttl: ttl)
        next if apart > ttl * 0.7

        return assert(held, "the lease ended though there were beats, at most #{apart} s " \
          "apart") # standard:disable Lint/NonLocalExitFromIterator
      end
      skip "this machine stands still for more than five seconds at a time"
    end

    def test_jobs_of_a_dead_worker_come_first_again
      enqueue(1, 2, 3)
      claims, recovered = lose(2)
      assert_equal(claims.map { |one| one.item["jid"] }, recovered.map(&:jid))
      assert_equal([["default", 1, false]],
        recovered.map { |one| [one.queue, one.crashes, one.dead] }.uniq)
      assert_places(queue: 3)
      assert_equal([1, 2, 3], args_in(:queue))
      assert_equal([1, 1, nil], store.entries(:queue)
        .map { |one| one.item.dig("raffia", "crashes") })
    end

    def test_recovered_jobs_are_in_the_order_of_their_claims
      enqueue(*0...12)
      lose(12)
      assert_equal((0...12).to_a, args_in(:queue))
      assert_equal((0...12).to_a, args(claim(12, suspects: true)))
    end

    def test_unreadable_payloads_are_recovered_unchanged
      store.enqueue([Jobs::Draft.new(jid: "0" * 24, queue: "default", payload: "no JSON", at: nil,
        extras: nil)])
      lose
      assert_equal("no JSON", claim_one.payload)
    end

    def test_a_job_is_recovered_once
      enqueue(1)
      lose
      assert_equal([], store.recover)
      assert_places(queue: 1)
    end

    # The worker was suspended for too long, and continues.
    def test_a_worker_that_lost_its_lease_cannot_end_its_jobs
      enqueue(*0...5)
      (one, two, three, four, five), = lose
      assert_equal([false], store.ack([one]))
      assert_same(false, store.retry(two, two.payload, now + 900))
      assert_same(false, store.bury(three, three.payload))
      assert_same(false, store.discard(four))
      assert_equal(0, store.release([five]))
      assert_equal([], store.claim(one.lease, %w[default], 5))
      assert_nil(store.beat(one.lease))
      assert_places(queue: 5)
    end

    # Also when another worker has the job by now.
    def test_the_job_of_another_worker_is_not_ended
      enqueue(1)
      (late,), = lose
      ours = claim_one(suspects: true)
      assert_equal([false], store.ack([late]))
      assert_same(false, store.bury(late, late.payload))
      assert_places(running: 1)
      assert_equal([true], store.ack([ours]))
    end

    def test_a_job_that_has_killed_three_workers_is_dead
      enqueue(1)
      crashes = Array.new(3) { lose.last.first }
      assert_equal([[1, false], [2, false], [3, true]],
        crashes.map { |one| [one.crashes, one.dead] })
      assert_places(dead: 1)
      item = store.entries(:dead).first.item
      assert_equal(["Raffia::WorkerDied", 3], [item["error_class"], item.dig("raffia", "crashes")])
      assert_match(/died 3 times/, item["error_message"])
    end

    def test_a_worker_that_resigns_returns_its_jobs_unchanged
      enqueue(1, 2)
      mine = enroll
      before = claim(by: mine).map(&:payload)
      store.resign(mine)
      assert_places(queue: 2)
      again = claim
      assert_equal([[1, 2], before], [args(again), again.map(&:payload)])
      assert_nil(store.beat(mine))
      store.resign(mine) # harmless when repeated
    end

    def test_a_lease_is_renewed_on_behalf_of_its_worker
      mine = enroll(ttl: 0.4)
      enqueue(1)
      assert(claim(by: mine).any?)
      5.times do
        sleep(0.1)
        assert_same(true, store.renew(mine))
      end
      assert_equal([], store.recover)
      store.resign(mine)
      assert_same(false, store.renew(mine))
    end

    def test_a_token_is_of_one_worker
      mine = enroll
      other = Jobs::Lease.new(identity: "test:1:other", token: mine.token, ttl: 600)
      assert_nil(store.beat(other))
      assert_same(false, store.renew(other))
      assert_equal([], store.beat(mine))
    end

    def test_a_worker_can_list_its_claims
      enqueue(1, 2, 3)
      assert_equal([], store.claim_keys(lease))
      claims = claim
      assert_equal(claims.map(&:key).sort, store.claim_keys(lease).sort)
      store.ack(claims.first(1))
      assert_equal(claims.drop(1).map(&:key).sort, store.claim_keys(lease).sort)
      assert_equal(1, store.release_keys(lease, [claims[2].key, claims[0].key]))
      assert_equal([[claims[1].key], [3]], [store.claim_keys(lease), args_in(:queue)])
      assert_equal([false, true], store.ack([claims[2], claims[1]]))
    end

    def test_returned_claims_are_in_front_in_their_order
      enqueue(*0...5, own: {limit: {"key" => "k", "max" => 4}})
      claims = claim(4)
      store.release_keys(lease, claims.map(&:key).reverse)
      assert_equal((0...4).to_a, args(claim(4)))
    end

    # A claim that its worker's heartbeat does not name.
    def test_an_unknown_claim_is_found
      enqueue(1, 2)
      one, two = claim
      work = ->(claim) {
        {"jid" => claim.item["jid"], "queue" => "default", "payload" => claim.payload,
         "run_at" => now.to_i, "tid" => claim.item["jid"]}
      }
      sleep(Jobs::Store::UnknownClaims::MARGIN + 0.1)
      store.beat(lease, {"busy" => 2, "work" => [work[one], work[two]]})
      assert_equal([], store.check)
      store.beat(lease, {"busy" => 1, "work" => [work[one]]})
      assert_match(
        /\Ajob #{two.item["jid"]} is claimed by #{lease.identity}, which does not work on it\z/,
        store.check.first
      )
      store.release_keys(lease, [two.key])
      assert_equal([], store.check)
    end

    def test_a_living_worker_is_listed
      mine = enroll(hostname: "h", pid: 7, queues: %w[a b])
      store.beat(mine, {"busy" => 2, "quiet" => true, "rss" => 1234,
        "work" => [{"jid" => "x", "queue" => "a", "payload" => "{}", "run_at" => 5, "tid" => "t"}]})
      seen = store.processes.find { |one| one["identity"] == mine.identity }
      assert_equal(["h", 7, %w[a b], 2, true, 1234, mine.token],
        seen.values_at("hostname", "pid", "queues", "busy", "quiet", "rss", "lease"))
      assert_equal([{"jid" => "x", "queue" => "a", "payload" => "{}", "run_at" => 5, "tid" => "t"}],
        seen["work"])
      assert_in_delta(now, seen["beat"], 60)
      store.resign(mine)
      assert_empty(store.processes)
    end

    def test_a_dead_worker_is_not_listed
      enqueue(1)
      lose
      assert_empty(store.processes)
    end

    def test_orders_reach_their_worker_once
      mine, other = enroll, enroll
      assert_same(true, store.order(mine.identity, "quiet"))
      assert_same(true, store.order(mine.identity, "cancel 0123"))
      assert_equal([], store.beat(other))
      assert_equal(["quiet", "cancel 0123"], store.beat(mine))
      assert_equal([], store.beat(mine))
      assert_same(false, store.order("test:0:nobody", "stop"))
    end

    private

    # @return [Array(Float, Boolean)] the most seconds between two beats, each counted from its call
    #   to the other's return; whether it held
    def beat_for(seconds, ttl:)
      begun = last = TestSupport.now
      mine = enroll(ttl: ttl)
      apart = 0
      loop do
        sleep(0.05)
        store.recover
        called = TestSupport.now
        held = !store.beat(mine).nil?
        apart = [apart, TestSupport.now - last].max
        return [apart, held] if !held || called - begun > seconds

        last = called
      end
    end
  end
end
