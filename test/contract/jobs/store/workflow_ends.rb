# frozen_string_literal: true

require_relative "workflow_case"

module JobsStoreContract
  # Ends of workflows: undos of sub-workflows, jobs that a cancel meets while they run, and kinds of
  # jobs that end in ways of their own.
  module WorkflowEnds
    include WorkflowCase

    def test_a_sub_workflow_that_is_done_is_undone_with_its_parent
      outer_with_done_inner
      bury_one
      assert_equal(%w[undoing done], [state, state("w.a")])
      undo = claim_one
      assert_equal(["undo of a", "undo a"],
        [undo.item["args"].first, undo.item.dig("raffia", "workflow", "node")])
      assert(store.undo_workflow("w.a", "of w"))
      store.ack([undo])
      assert_equal(%w[undoing undoing], [state, state("w.a")])
      assert_equal(["s"], finish_step.item["args"])
      assert_equal(["undone", "undone", []], [state, state("w.a"), store.check])
    end

    def test_a_sub_workflow_without_undos_is_undone_at_once
      open_workflow(flow_step("a"), job_step("b", after: %w[a]))
      open_inner(job_step("s"))
      finish_step
      bury_one
      store.undo_workflow("w.a", "of w")
      assert_equal(%w[undone undone], [state, state("w.a")])
      store.ack([claim_one])
      assert_equal(["undone", []], [state, store.check])
    end

    def test_a_dead_undo_of_a_sub_workflow_makes_its_parent_stuck_until_it_goes_on
      outer_with_done_inner
      bury_one
      undo_inner
      bury_one
      assert_equal(%w[stuck stuck], [state, state("w.a")])
      store.requeue(store.entries(:dead).select { |one| one.item["args"] == ["s"] })
      assert_equal(%w[undoing undoing], [state, state("w.a")])
      finish_step
      assert_equal(["undone", "undone", []], [state, state("w.a"), store.check])
    end

    def test_an_undo_says_whose_effect_it_undoes
      open_workflow(job_step("a", **undo("x")), job_step("b", after: %w[a]))
      jid = finish_step.item["jid"]
      bury_one
      assert_equal({"id" => "w", "node" => "undo a", "undoes" => jid},
        claim_one.item.dig("raffia", "workflow"))
    end

    def test_a_workflow_that_is_done_can_be_undone
      open_workflow(job_step("a", **undo("x")))
      finish_step
      assert(store.undo_workflow("w", "no more"))
      assert_equal(["undoing", "no more", nil],
        store.workflow("w").values_at("state", "reason", "completed_at"))
      finish_step
      assert_equal("undone", state)
      assert(store.undo_workflow("w", "again"))
      assert_equal(["undone", []], [state, store.check])
      refute(store.undo_workflow("none", "x"))
      assert_places
    end

    def test_the_undo_of_one_that_runs_cancels_it
      open_workflow(job_step("a"), job_step("b", after: %w[a]))
      one = claim_one
      store.undo_workflow("w", "no more")
      assert_equal("cancelling", state)
      store.ack([one])
      assert_equal("cancelled", state)
    end

    def test_a_step_that_is_retried_gets_a_new_sub_workflow
      open_workflow(flow_step("a"))
      open_inner(job_step("s"))
      refute(store.open_workflow("w.a", [job_step("s")], about: {"opener" => "1"},
        parent: %w[w a]), "the opener runs again")
      finish_step
      store.retry_workflow("w", "a")
      open_inner(job_step("t"), opener: "2")
      assert_equal([{"t" => "active"}, "running"], [states("w.a"), state("w.a")])
      finish_step
      assert_equal(["done", 2, []], [state, store.workflows.size, store.check])
    end

    def test_an_opener_that_dies_after_its_work_does_not_end_the_step
      open_workflow(flow_step("a"))
      opener = claim_one
      assert(open_workflow(job_step("s"), id: "w.a", parent: %w[w a]))
      store.bury(opener, opener.payload)
      assert_equal("active", states["a"])
      assert_equal({"running" => [], "flows" => %w[a]}, store.cancel_workflow("w", "enough"))
      store.cancel_workflow("w.a", "enough")
      assert_equal(["cancelled", []], [state, store.check])
    end

    def test_sub_workflows_are_kept_as_long_as_their_parents
      outer_with_done_inner
      store.prune(batches_for: -1)
      assert_equal("done", state("w.a"))
      finish_step
      2.times { store.prune(batches_for: -1) }
      assert_empty(store.workflows)
    end

    def test_a_job_that_a_cancel_met_does_not_wait_for_a_retry
      open_workflow(job_step("a", **undo("x")), job_step("b"))
      one, two = claim
      store.cancel_workflow("w", "enough")
      store.retry(one, one.payload, now + 900)
      assert_equal("cancelled", states["a"])
      store.release([two])
      assert_equal([{"queue" => 1}, "undoing"], [places.transform_keys(&:to_s), state])
      undo = claim_one
      store.retry(undo, undo.payload, now - 1)
      assert_places(retry: 1)
      assert_equal([], store.check)
    end

    def test_a_job_that_a_cancel_met_is_not_recovered
      open_workflow(job_step("a"), job_step("b"))
      short = store.enroll("test:0:#{rand(1 << 64).to_s(16)}", {}, ttl: 600)
      assert_equal(2, store.claim(short, %w[default], 2).size)
      store.cancel_workflow("w", "enough")
      store.report_death(short, [])
      assert_places
      assert_equal(["cancelled", []], [state, store.check])
    end

    def test_a_cancel_leaves_durable_functions_to_end_by_themselves
      step = job_step("a")
      own = {"flow" => {"class" => "NoJob"}}
      open_workflow({**step, "item" => {**step["item"], "raffia" => own}})
      jid = store.entries(:queue).first.item["jid"]
      assert_equal({"running" => [jid], "flows" => []}, store.cancel_workflow("w", "enough"))
      one = claim_one
      store.retry(one, one.payload, now - 1)
      assert_places(retry: 1)
      store.promote
      store.discard(claim_one)
      assert_equal(["cancelled", "failed", []], [state, store.flow(jid)["status"], store.check])
    end

    def test_a_unique_step_that_another_job_keeps_out_is_done_without_a_result
      store.enqueue([unique_draft])
      open_workflow(unique_step("a"), job_step("b", {"raffia:result" => "a"}, after: %w[a]))
      assert_equal([{"a" => "done", "b" => "active"}, nil],
        [states, store.workflow_result("w", "a")])
      assert_equal([["b", nil]], store.entries(:queue).map { |one| one.item["args"] }.last(1))
    end

    def test_a_unique_step_whose_conflict_raises_is_dead
      store.enqueue([unique_draft])
      open_workflow(job_step("a"), unique_step("b", "raise", after: %w[a], **undo("x")))
      other, one = claim
      store.ack([one])
      assert_equal([{"a" => "done", "b" => "dead"}, "failed"], [states, state])
      error = store.workflow("w")["nodes"].find { |node| node["name"] == "b" }["error"]
      assert_equal("another job has its unique key k", error)
      store.ack([other])
      store.retry_workflow("w", "b")
      finish_step
      assert_equal(["done", []], [state, store.check])
    end

    def test_a_unique_step_replaces_a_job_but_is_not_replaced
      store.enqueue([unique_draft])
      open_workflow(unique_step("a", "replace"))
      assert_equal(["a"], args_in(:queue))
      assert_equal([nil], store.enqueue([unique_draft("replace")]))
      finish_step
      assert_equal(["done", []], [state, store.check])
    end

    def test_equal_unique_steps_of_one_workflow_run_once
      open_workflow(unique_step("a"), unique_step("b"), job_step("c", after: %w[a b]))
      assert_equal(["a"], args_in(:queue))
      finish_step
      finish_step
      assert_equal(["done", []], [state, store.check])
    end

    private

    def flow_step(name, **how)
      {**job_step(name, kind: "flow", **how, **undo("undo of #{name}")), "flow" => "Inner"}
    end

    def open_inner(*nodes, opener: "1")
      claim = claim_one
      assert(store.open_workflow("w.a", nodes, about: {"opener" => opener}, parent: %w[w a]))
      store.ack([claim])
    end

    # The step that follows waits in the queue.
    def outer_with_done_inner
      open_workflow({**flow_step("a"), "item" => item("undo of a")}, job_step("b", after: %w[a]))
      open_inner(job_step("s", **undo("x")))
      finish_step
    end

    # Runs the undo of the sub-workflow.
    def undo_inner
      undo = claim_one
      store.undo_workflow("w.a", "of w")
      store.ack([undo])
    end

    def bury_one
      one = claim_one
      store.bury(one, one.payload)
    end

    def unique(conflict) = {"key" => "k", "until" => "done", "conflict" => conflict}

    def unique_draft(conflict = "skip") = draft(1, own: {"unique" => unique(conflict)})

    def unique_step(name, conflict = "skip", **how)
      step = job_step(name, **how)
      {**step, "item" => {**step["item"], "raffia" => {"unique" => unique(conflict)}}}
    end
  end
end
