# frozen_string_literal: true

require_relative "case"

module JobsStoreContract
  # Jobs of dead workers, and which of them are charged.
  module Recovery
    include Case

    def test_only_the_job_that_had_begun_is_charged
      enqueue(*0...5)
      claims = claim(4)
      recovered = store.report_death(lease, [claims[2].key])
      assert_equal([0, 0, 1, 0], recovered.map(&:crashes))
      assert_equal(claims.map { |one| one.item["jid"] }, recovered.map(&:jid))
      assert_equal([[2], [0, 1, 3, 4]], [args_in(:queue).first(1), args(again)])
      assert_places(queue: 1, running: 4)
    end

    def test_jobs_that_had_not_begun_go_back_unchanged
      enqueue(1, 2)
      before = store.entries(:queue).map(&:payload)
      4.times { kill_worker(begun: 0) }
      assert_equal(before, again.map(&:payload))
    end

    def test_none_of_several_begun_jobs_is_charged_twice
      enqueue(1, 2)
      5.times { |n| kill_worker(suspects: n > 0) }
      assert_equal([1, 1], crashes)
      assert_places(queue: 2)
    end

    def test_a_suspect_that_ran_alone_is_charged
      enqueue(1, 2, 3)
      kill_worker
      first = kill_worker(1, suspects: true).first
      assert_equal([2, false], [first.crashes, first.dead])
      assert_equal([[1, 2], [2, 1], [3, 1]], args_in(:queue).zip(crashes))
      assert(kill_worker(1, suspects: true).first.dead)
      assert_equal([[1], [2, 3]], [args_in(:dead), args_in(:queue)])
      assert_match(/died 3 times/, store.entries(:dead).first.item["error_message"])
    end

    def test_suspects_are_claimed_only_on_request
      enqueue(1)
      refute(store.suspects?(%w[default]))
      kill_worker
      enqueue(2)
      assert(store.suspects?(%w[default other]))
      refute(store.suspects?(%w[other]))
      assert_equal([[2], [1]], [args(claim(by: other)), args(claim(by: other, suspects: true))])
      refute(store.suspects?(%w[default]))
    end

    def test_suspects_of_a_paused_queue_wait
      enqueue(1)
      kill_worker
      store.pause("default")
      refute(store.suspects?(%w[default]))
      assert_empty(claim(by: other, suspects: true))
      store.resume("default")
      assert(store.suspects?(%w[default]))
    end

    def test_suspects_wake_no_wait
      enqueue(1)
      kill_worker
      waited = TestSupport.now
      store.wait(%w[default], timeout: 0.2)
      assert_operator(TestSupport.now - waited, :>=, 0.15)
    end

    # Through a retry and a release, and with a priority of its own.
    def test_a_suspect_stays_one_until_it_is_done
      store.enqueue([draft(1, own: {priority: -7})])
      kill_worker
      one = claim_one(by: other, suspects: true)
      store.retry(one, one.payload, now - 1)
      store.promote
      assert_empty(claim(by: other))
      one = claim_one(by: other, suspects: true)
      assert_equal(1, store.release([one]))
      assert_empty(claim(by: other))
      assert_equal([true], store.ack([claim_one(by: other, suspects: true)]))
      assert_places
    end

    def test_a_requeued_dead_job_is_no_suspect
      enqueue(1)
      3.times { |n| kill_worker(suspects: n > 0) }
      assert_places(dead: 1)
      store.requeue(store.entries(:dead))
      refute(store.suspects?(%w[default]))
      assert_equal([1], args(claim(by: other)))
    end

    def test_the_lease_of_a_dead_worker_is_over
      enqueue(1)
      kill_worker
      assert_nil(store.beat(@lease))
      assert_empty(store.claim(@lease, %w[default], 1, suspects: true))
      assert_equal([], store.report_death(@lease, nil))
      assert_empty(store.processes)
    end

    def test_a_crash_frees_limits_and_unique_keys
      enqueue(1, 2, own: {limit: {"key" => "k", "max" => 1}})
      kill_worker
      second = claim_one(by: other)
      assert_empty(claim(by: other, suspects: true), "the second one has the place")
      store.ack([second])
      assert_equal([1], args(claim(by: other, suspects: true)))
      assert_equal([], store.check)
    end

    private

    def other = @other ||= store.enroll("test:other:#{object_id.to_s(16)}", {}, ttl: 600)

    def again = claim(by: other)

    def crashes = store.entries(:queue).map { |one| one.item.dig("raffia", "crashes").to_i }

    # Claims jobs, begins so many of them, and dies.
    # @return [Array<Jobs::RecoveredJob>]
    def kill_worker(limit = 10, begun: limit, **how)
      @lease = store.enroll("test:0:#{rand(1 << 64).to_s(16)}", {}, ttl: 600)
      claims = claim(limit, by: @lease, **how)
      refute_empty(claims)
      store.report_death(@lease, claims.first(begun).map(&:key))
    end
  end
end
