# frozen_string_literal: true

require_relative "workflow_case"

module JobsStoreContract
  # Graphs of jobs.
  module Workflows
    include WorkflowCase

    def test_a_workflow_begins_with_the_steps_that_wait_for_none
      assert(open_workflow(job_step("a"), job_step("b", after: %w[a])))
      assert_equal({"a" => "active", "b" => "waiting"}, states)
      assert_equal(["a"], args_in(:queue))
      seen = store.workflow("w")
      assert_equal(["running", 2, 0, {"name" => "test"}],
        seen.values_at("state", "pending", "dead", "about"))
      assert_equal(%w[w], store.workflows.map { |one| one["id"] })
      assert_nil(store.workflow("other"))
      assert_equal([], store.check)
    end

    def test_workflows_are_counted_by_state
      open_workflow(job_step("a"))
      store.ack([claim_one])
      2.times { |n| store.open_workflow("more#{n}", [job_step("a")]) }
      assert_equal({"running" => 2, "done" => 1}, store.workflow_counts)
      assert_equal({"running" => 2, "done" => 1}, Jobs::StoreState.new(store).to_h["workflows"])
    end

    def test_an_id_is_used_once
      assert(open_workflow(job_step("a")))
      refute(open_workflow(job_step("a"), job_step("b")))
      assert_equal(["a"], args_in(:queue))
    end

    def test_further_drafts_come_in_the_same_step
      store.open_workflow("w", [job_step("a")], drafts: [draft(7, queue: "other")])
      assert_equal([7], args_in(:queue, queue: "other"))
    end

    def test_a_step_begins_when_all_its_predecessors_are_done
      open_workflow(job_step("a"), job_step("b"), job_step("c", after: %w[a b]))
      one, two = claim
      store.ack([one])
      assert_equal("waiting", states["c"])
      store.ack([two])
      assert_equal(["c"], args_in(:queue))
      store.ack([claim_one])
      assert_equal(["done", 0], store.workflow("w").values_at("state", "pending"))
      assert_places
    end

    def test_claims_acked_together_start_a_step_once
      open_workflow(*Array.new(10) { |n| job_step("s#{n}") },
        job_step("last", after: Array.new(10) { |n| "s#{n}" }))
      store.ack(claim(20))
      assert_equal(["last"], args_in(:queue))
    end

    def test_threads_start_a_step_once
      open_workflow(*Array.new(20) { |n| job_step("s#{n}") },
        job_step("last", after: Array.new(20) { |n| "s#{n}" }))
      claim(20).map { |one| Thread.new { store.ack([one]) } }.each(&:join)
      assert_equal(["last"], args_in(:queue))
      assert_equal([], store.check)
    end

    def test_results_are_kept_and_become_arguments
      open_workflow(job_step("a"),
        job_step("b", {"list" => [{"raffia:result" => "a"}]}, after: %w[a]))
      one = claim_one
      one.result = JSON.generate({"täg" => [1, nil]})
      store.ack([one])
      assert_equal({"täg" => [1, nil]}, result("a"))
      assert_equal(["b", {"list" => [{"täg" => [1, nil]}]}], claim_one.item["args"])
      assert_nil(store.workflow_result("w", "b"))
      assert_nil(store.workflow_result("w", "other"))
    end

    def test_an_ack_that_comes_too_late_changes_nothing
      open_workflow(job_step("a"), job_step("b", after: %w[a]))
      one = claim_one
      store.release([one])
      one.result = "1"
      assert_equal([false], store.ack([one]))
      assert_equal({"a" => "active", "b" => "waiting"}, states)
    end

    def test_a_failure_skips_what_depends_on_it
      open_workflow(job_step("a"), job_step("b", after: %w[a]), job_step("c", after: %w[b]),
        job_step("d"))
      one, two = claim
      store.bury(one, one.payload)
      assert_equal({"a" => "dead", "b" => "skipped", "c" => "skipped", "d" => "active"}, states)
      assert_equal("running", state)
      store.ack([two])
      assert_equal("failed", state)
      assert_equal([], store.check)
    end

    def test_a_step_may_run_after_a_failure
      open_workflow(job_step("a"), job_step("b", :after => %w[a], "on_failure" => "run"))
      one = claim_one
      store.discard(one)
      store.ack([claim_one])
      assert_equal([{"a" => "dead", "b" => "done"}, "failed"], [states, state])
    end

    def test_a_dead_job_that_is_requeued_goes_on
      open_workflow(job_step("a"), job_step("b", after: %w[a]), job_step("c", after: %w[b]))
      one = claim_one
      store.bury(one, one.payload)
      assert_equal("failed", state)
      assert_equal(1, store.requeue(store.entries(:dead)))
      assert_equal([{"a" => "active", "b" => "waiting", "c" => "waiting"}, "running"],
        [states, state])
      3.times { store.ack([claim_one]) }
      assert_equal(["done", []], [state, store.check])
    end

    def test_a_step_with_two_failures_waits_for_both_retries
      open_workflow(job_step("a"), job_step("b"), job_step("c", after: %w[a b]))
      claim.each { |one| store.bury(one, one.payload) }
      store.requeue(store.entries(:dead).first(1))
      store.ack([claim_one])
      assert_equal([%w[dead done skipped], "failed"], [states.values.sort, state])
      store.requeue(store.entries(:dead))
      2.times { store.ack([claim_one]) }
      assert_equal(["done", []], [state, store.check])
    end

    def test_deleted_and_expired_jobs_count_as_dead
      open_workflow(job_step("a", "expires_in" => -1), job_step("b"))
      assert_equal(["b"], args(claim))
      assert_equal("dead", states["a"])
      open_workflow(job_step("a"), id: "v")
      store.delete(store.entries(:queue))
      assert_equal("failed", store.workflow("v")["state"])
    end

    def test_crashes_of_the_worker_make_a_step_dead
      open_workflow(job_step("a"))
      3.times { lose }
      assert_equal([{"a" => "dead"}, "failed"], [states, state])
    end

    def test_workflows_are_pruned_after_their_end
      open_workflow(job_step("a"))
      open_workflow(job_step("a"), id: "v")
      store.ack(claim(1))
      store.prune(batches_for: -1)
      assert_equal(1, store.workflows.size)
      assert_equal("running", store.workflows.first["state"])
    end

    def test_workflows_are_listed_newest_first
      3.times { |n| open_workflow(job_step("a"), id: "w#{n}") }
      assert_equal(%w[w2 w1 w0], store.workflows.map { |one| one["id"] })
      assert_equal(%w[w1], store.workflows(offset: 1, limit: 1).map { |one| one["id"] })
    end

    def test_a_step_wakes_a_wait
      open_workflow(job_step("a"), job_step("b", after: %w[a]))
      one = claim_one
      waiting = Thread.new { wait_for_job }
      store.ack([one])
      assert_equal(["b"], args(waiting.value))
    end
  end
end
