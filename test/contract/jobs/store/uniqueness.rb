# frozen_string_literal: true

require_relative "case"

module JobsStoreContract
  # Unique jobs.
  module Uniqueness
    include Case

    # @return [Jobs::Draft]
    def only(arg, til = "done", key: "k", conflict: "skip", **how)
      unique = {"key" => key, "until" => til, "conflict" => conflict,
                "for" => how.delete(:for)}.compact
      draft(arg, **how, own: {unique: unique, **how.fetch(:own, {})})
    end

    def free?(til = "done")
      store.enqueue([only("probe", til)]).first
        .then { |jid| jid ? store.delete([store.find(jid)]) == 1 : false }
    end

    def test_a_second_unique_job_is_refused
      first = only(1)
      assert_equal([first.jid], store.enqueue([first]))
      assert_equal([nil], store.enqueue([only(2)]))
      assert_equal([nil, String, nil], store.enqueue([only(3), only(4, key: "other"), only(5)])
        .map { |jid| jid && jid.class })
      assert_equal([1, 4], args_in(:queue))
    end

    def test_the_first_of_two_unique_jobs_in_one_call_is_kept
      first = only(1)
      assert_equal([first.jid, nil], store.enqueue([first, only(2)]))
      assert_places(queue: 1)
    end

    def test_one_of_many_concurrent_unique_jobs_is_kept
      kept = Array.new(8) { |n| Thread.new { store.enqueue([only(n)]) } }.flat_map(&:value)
      assert_equal(1, kept.compact.size)
      assert_places(queue: 1)
    end

    def test_until_done_a_key_is_taken_during_runs_and_retries
      store.enqueue([only(1)])
      refute(free?)
      one = claim_one
      refute(free?, "running")
      store.retry(one, one.payload, now - 1)
      refute(free?, "retry")
      store.promote
      refute(free?, "queue")
      store.release(claim)
      refute(free?, "released")
      store.ack(claim)
      assert(free?)
    end

    def test_until_start_a_key_is_taken_until_the_claim
      store.enqueue([only(1, "start")])
      refute(free?("start"))
      one = claim_one
      assert(free?("start"))
      store.ack([one])
      assert_places
    end

    def test_every_end_of_a_job_frees_its_key
      {
        bury: -> { claim_one.then { |one| store.bury(one, one.payload) } },
        discard: -> { store.discard(claim_one) },
        delete: -> { store.delete(store.entries(:queue)) },
        kill: -> { store.kill(store.entries(:queue)) }, clear: -> { store.clear(:queue) }
      }.each do |name, ends|
        %w[done start].each do |til|
          store.enqueue([only(1, til)])
          refute(free?(til), "before #{name}")
          ends.call
          assert(free?(til), "#{name} of one until #{til}")
        end
      end
    end

    def test_expiry_frees_a_key
      store.enqueue([only(1, own: {expires_at: now - 1})])
      assert_empty(claim)
      assert(free?)
    end

    def test_burial_after_crashes_frees_a_key
      store.enqueue([only(1)])
      2.times { lose }
      refute(free?)
      lose
      assert_places(dead: 1)
      assert(free?)
    end

    # The first job's window was over, so the second came in. The end of the first frees nothing.
    def test_only_the_end_of_its_owner_frees_a_key
      store.enqueue([only(1, for: 0.2)])
      first = claim_one
      wait_until { store.enqueue([only(2)]).first }
      store.ack([first])
      refute(free?)
      store.ack(claim)
      assert(free?)
    end

    def test_a_window_takes_a_key_for_its_time_whatever_happens_to_the_job
      store.enqueue([only(1, "window", for: 900)])
      store.ack(claim)
      refute(free?("window"))
      store.enqueue([only(1, "window", key: "short", for: 0.2)])
      wait_until { store.enqueue([only(2, "window", key: "short", for: 900)]).first }
    end

    def test_a_conflict_that_raises_adds_nothing
      store.enqueue([only(1)])
      error = assert_raises(Jobs::NotUnique) do
        store.enqueue([draft("before"), only(2, conflict: "raise"), draft("after")])
      end
      assert_equal("k", error.key)
      assert_equal([1], args_in(:queue))
      assert_raises(Jobs::NotUnique) do
        store.enqueue([only(3, key: "new"), only(4, key: "new", conflict: "raise")])
      end
      assert_equal([1], args_in(:queue))
    end

    def test_a_new_job_may_replace_the_waiting_one
      old = only(1)
      store.enqueue([old])
      new = only(2, conflict: "replace")
      assert_equal([new.jid], store.enqueue([new]))
      assert_equal([2], args_in(:queue))
      assert_nil(store.find(old.jid))
      refute(free?)
      store.ack(claim)
      assert(free?)
    end

    def test_a_replacement_may_have_another_time
      store.enqueue([only(1, at: now + 900)])
      store.enqueue([only(2, at: now + 500, conflict: "replace")])
      assert_equal([2], args_in(:scheduled))
      assert_in_delta(now + 500, store.entries(:scheduled).first.at, 60)
      store.enqueue([only(3, conflict: "replace")])
      assert_places(queue: 1)
      assert_equal([3], args(claim))
    end

    def test_a_retry_can_be_replaced
      store.enqueue([only(1)])
      one = claim_one
      store.retry(one, one.payload, now + 900)
      store.enqueue([only(2, conflict: "replace")])
      assert_places(queue: 1)
    end

    def test_a_running_job_is_not_replaced
      store.enqueue([only(1)])
      one = claim_one
      assert_equal([nil], store.enqueue([only(2, conflict: "replace")]))
      assert_equal([true], store.ack([one]))
      assert_places
    end
  end
end
