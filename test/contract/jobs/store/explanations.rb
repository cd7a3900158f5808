# frozen_string_literal: true

require "raffia/jobs/explanation"
require_relative "case"

module JobsStoreContract
  # Why a job is not running, on each store.
  module Explanations
    include Case

    def explain(jid = store.entries(:queue).last.jid) = Jobs::Explanation.new(store).call(jid)

    def why(...) = explain(...)["reasons"].map { |one| one["reason"] }

    def reason(jid, name)
      found = explain(jid)["reasons"]
      found.find { |one| one["reason"] == name } || flunk("#{name} is not among #{found}")
    end

    def worker(queues: %w[default], busy: 0, quiet: false)
      worker = store.enroll("host:1:#{rand(1 << 32)}", {"queues" => queues, "concurrency" => 2})
      store.beat(worker, {"busy" => busy, "quiet" => quiet})
      worker
    end

    def test_an_unknown_job_has_no_explanation = assert_nil(explain("0" * 24))

    def test_a_job_that_nothing_holds_up
      worker
      jid, = enqueue(1)
      assert_equal(%w[next], why(jid))
      assert_equal(["NoJob", "queue", "default"], explain(jid).values_at("class", "set", "queue"))
    end

    def test_workers_that_do_not_read_its_queue
      jid, = enqueue(1)
      assert_equal(%w[no_worker], why(jid))
      worker(queues: %w[mail])
      assert_equal(%w[mail], reason(jid, "no_listener")["queues"])
      worker(quiet: true)
      assert_equal(%w[quiet], why(jid))
      worker(busy: 2)
      assert_equal(%w[busy], why(jid))
    end

    def test_a_paused_queue_and_the_jobs_before_it
      worker
      *, jid = enqueue(1, 2, 3)
      store.pause("default")
      assert_equal(%w[paused turns], why(jid))
      assert_equal(2, reason(jid, "turns")["before"])
    end

    def test_turns_of_a_fair_queue
      worker
      drafts = %w[a a b b].map { |key| draft(key, own: {fair: {"key" => key}}) }
      *, jid = store.enqueue(drafts)
      assert_equal([3, 1], reason(jid, "turns").values_at("before", "keys"))
    end

    def test_a_limit_that_is_reached
      worker
      own = {limit: {"key" => "k", "max" => 1}}
      first, second = store.enqueue([draft(1, own: own), draft(2, own: own)])
      claim(1)
      assert_equal([first], reason(second, "limit")["running"])
      claim
      assert_places(running: 1, blocked: 1)
      assert_equal(%w[limit], why(second))
    end

    def test_a_rate_that_is_used_up_or_closed
      worker
      rate = {"name" => "r", "key" => "r", "allow" => 1, "per" => 600, "style" => "window"}
      _, jid = store.enqueue([draft(1, own: {rate: rate}), draft(2, own: {rate: rate})])
      claim
      assert_places(running: 1, blocked: 1)
      assert_equal(%w[rate], why(jid))
      found = reason(jid, "rate")
      assert_equal([1, 600], found.values_at("allow", "per"))
      assert_match(/used up: it opens in \d+ s/, found["message"])
      store.close_rate("r", 900)
      assert_match(/is closed: it opens in/, reason(jid, "rate")["message"])
    end

    def test_a_tenant_that_is_paused
      worker
      jid, = store.enqueue([draft(1, own: {fair: {"key" => "ann"}})])
      store.pause("default", tenant: "ann")
      2.times do
        assert_match(/jobs of ann in default are paused/, reason(jid, "paused_tenant")["message"])
        claim
      end
      assert_places(blocked: 1)
      store.resume("default", tenant: "ann")
      refute_includes(why(jid), "paused_tenant")
    end

    def test_the_key_of_a_tenant_is_hidden_with_the_arguments
      worker
      jid, = store.enqueue([draft(1, own: {:fair => {"key" => "ann"}, "redact" => true})])
      store.pause("default", tenant: "ann")
      found = reason(jid, "paused_tenant")
      refute_includes(found.to_s, "ann")
      assert_equal("(redacted)", found["tenant"])
    end

    def test_times_and_failures
      jid, = enqueue(1, at: now + 900)
      assert_in_delta(900, reason(jid, "scheduled")["due_in"], 60)
      late = Jobs::Explanation.new(store, now: now + 1000).call(jid)
      assert_equal(%w[overdue], late["reasons"].map { |one| one["reason"] })
      enqueue(2)
      one = claim_one
      payload = Jobs::Payload.dump({**one.item, "error_class" => "Oops", "error_message" => "no"})
      store.retry(one, payload, now + 900)
      found = reason(one.item["jid"], "retry")
      assert_includes(found["message"], "Oops: no")
      store.kill(store.entries(:retry))
      assert_equal("Oops", reason(one.item["jid"], "dead")["error_class"])
    end

    def test_a_running_job_and_its_worker
      jid, = enqueue(1)
      token = worker
      store.claim(token, %w[default], 1)
      assert_nil(reason(jid, "running")["worker"])
      work = [{"jid" => jid, "queue" => "default", "on" => "fibers", "run_at" => now.to_i,
               "payload" => store.find(jid).payload, "tid" => "a"}]
      store.beat(token, {"busy" => 1, "work" => work})
      found = reason(jid, "running")
      assert_match(/\Ahost:1:/, found["worker"])
      assert_includes(found["message"], "on fibers")
    end

    def test_a_suspect_and_an_expired_job
      worker
      suspect, expired = store.enqueue([draft(1, own: {crashes: 1}),
        draft(2, own: {expires_at: now - 5})])
      assert_equal(1, reason(suspect, "suspect")["crashes"])
      assert_includes(why(expired), "expired")
    end

    def test_a_unique_job_holds_up_others
      worker
      jid, = store.enqueue([draft(1, own: {unique: {"key" => "u", "until" => "start"}})])
      assert_equal(%w[next unique], why(jid))
    end
  end
end
