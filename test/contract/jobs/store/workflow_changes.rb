# frozen_string_literal: true

require_relative "workflow_case"

module JobsStoreContract
  # Fan-out, cancel, retry, undo and sub-workflows.
  module WorkflowChanges
    include WorkflowCase

    def test_each_element_of_a_result_is_a_job
      open_workflow(job_step("a"), each_step("b", "a", 5),
        job_step("c", {"raffia:result" => "b"}, after: %w[b]))
      finish_step([10, 20, 30])
      assert_equal([[10, 5], [20, 5], [30, 5]], args_lists)
      claim(3).reverse_each { |one| ack_with(one, one.item["args"].sum) }
      assert_equal([15, 25, 35], result("b"))
      assert_equal(["c", [15, 25, 35]], finish_step.item["args"])
      assert_equal(["done", []], [state, store.check])
    end

    def test_an_empty_list_completes_at_once
      open_workflow(job_step("a"), each_step("b", "a"), each_step("d", "b"),
        job_step("c", after: %w[d]))
      finish_step([])
      assert_equal("done", states["d"])
      assert_equal(["c"], args(claim))
    end

    def test_an_each_may_follow_an_each
      open_workflow(job_step("a"), each_step("b", "a"), each_step("c", "b"))
      finish_step([1, 2])
      claim.each { |one| ack_with(one, one.item["args"][0] * 10) }
      assert_equal([[10], [20]], args_lists)
      store.ack(claim)
      assert_equal("done", state)
    end

    def test_a_result_that_is_no_list_makes_the_each_dead
      open_workflow(job_step("a"), each_step("b", "a"), job_step("c", after: %w[b]))
      finish_step({"no" => "list"})
      assert_equal([{"a" => "done", "b" => "dead", "c" => "skipped"}, "failed"], [states, state])
      assert_match(/result of a is no list but Hash/, node("b")["error"])
      store.retry_workflow("w", "a")
      finish_step([])
      assert_equal("active", states["c"])
    end

    def test_a_dead_element_can_be_requeued
      open_workflow(job_step("a"), each_step("b", "a"), job_step("c", after: %w[b]))
      finish_step([1, 2])
      one, two = claim
      store.bury(one, one.payload)
      ack_with(two, 2)
      assert_equal([%w[dead skipped], "failed"], [states.values_at("b", "c"), state])
      store.requeue(store.entries(:dead))
      assert_equal([%w[active waiting], "running"], [states.values_at("b", "c"), state])
      finish_step(1)
      assert_equal([[1, 2], "active"], [result("b"), states["c"]])
      assert_equal([], store.check)
    end

    def test_a_predecessor_that_goes_on_is_not_an_element_of_an_each_that_has_begun
      open_workflow(job_step("a"), job_step("b"),
        each_step("c", "a", :after => %w[b], "on_failure" => "run"))
      one, two = claim
      ack_with(one, [1])
      store.bury(two, two.payload)
      assert_equal("active", states["c"])
      store.requeue(store.entries(:dead))
      claim.reverse_each { |other| store.ack([other]) }
      assert_equal([%w[done done done], "done", []], [states.values_at(*%w[a b c]), state,
        store.check])
    end

    def test_a_step_that_waits_again_counts_each_skipped_predecessor_once
      open_workflow(job_step("a"), job_step("b", after: %w[a]), job_step("c", after: %w[a]),
        job_step("d", after: %w[b c]), job_step("e", after: %w[d]))
      one = claim_one
      store.bury(one, one.payload)
      store.requeue(store.entries(:dead))
      assert_equal([1, 1, 2, 1], store.workflow("w")["nodes"].drop(1).map { |one| one["missing"] })
      finish_step
      store.ack(claim)
      2.times { finish_step }
      assert_equal(["done", []], [state, store.check])
    end

    def test_a_cancel_drops_what_waits_and_lets_the_running_end
      open_workflow(job_step("a"), job_step("b"), job_step("c", after: %w[a]))
      running = claim(1).first
      going_on = store.cancel_workflow("w", "enough")
      assert_equal({"running" => [running.item["jid"]], "flows" => []}, going_on)
      assert_equal({"a" => "active", "b" => "cancelled", "c" => "cancelled"}, states)
      assert_equal(%w[cancelling enough], store.workflow("w").values_at("state", "reason"))
      assert_places(running: 1)
      store.ack([running])
      assert_equal([{"a" => "done", "b" => "cancelled", "c" => "cancelled"}, "cancelled"],
        [states, state])
      assert_nil(store.cancel_workflow("w", "again"))
      assert_nil(store.cancel_workflow("none", "again"))
      assert_equal([], store.check)
    end

    def test_a_cancel_without_a_running_job_ends_at_once
      open_workflow(job_step("a"), each_step("b", "a"), job_step("c", after: %w[b]))
      finish_step([1, 2])
      store.cancel_workflow("w", "enough")
      assert_places
      assert_equal(["cancelled", []], [state, store.check])
    end

    def test_undos_run_in_reverse_order_of_ends
      open_workflow(job_step("a", **undo("x")), job_step("b", 5, after: %w[a], **undo("y")),
        job_step("c", after: %w[b]))
      finish_step
      finish_step
      one = claim_one
      store.bury(one, one.payload)
      assert_equal("undoing", state)
      assert_equal(["b", 5], finish_step.item["args"])
      assert_equal("undoing", state)
      assert_equal(["a"], finish_step.item["args"])
      assert_equal(["undone", []], [state, store.check])
    end

    def test_a_step_that_may_have_had_an_effect_is_undone
      open_workflow(job_step("a", **undo("x")), job_step("b", after: %w[a], **undo("y")))
      one = claim_one
      store.bury(one, one.payload)
      assert_equal(["a"], args_in(:queue), "b had not begun")
      finish_step
      assert_equal("undone", state)
    end

    def test_a_dead_undo_leaves_the_workflow_stuck
      open_workflow(job_step("a", **undo("x")), job_step("b", after: %w[a]))
      finish_step
      2.times do
        one = claim_one
        store.bury(one, one.payload)
      end
      assert_equal("stuck", state)
      store.requeue(store.entries(:dead).select { |one|
        one.item.dig("raffia", "workflow",
          "node") == "undo a"
      })
      assert_equal("undoing", state)
      finish_step
      assert_equal(["undone", []], [state, store.check])
    end

    def test_a_cancelled_workflow_is_undone
      open_workflow(job_step("a", **undo("x")), job_step("b", after: %w[a]))
      finish_step
      store.cancel_workflow("w", "enough")
      assert_equal(["undoing", ["a"]], [state, args_in(:queue)])
      finish_step
      assert_equal(%w[undone enough], store.workflow("w").values_at("state", "reason"))
    end

    def test_a_retry_runs_a_step_and_its_dependants_again
      open_workflow(job_step("a"), each_step("b", "a"), job_step("c", after: %w[b]), job_step("d"))
      claim.each { |one| ack_with(one, [1]) }
      2.times { finish_step }
      assert_equal("done", state)
      store.retry_workflow("w", "a")
      assert_equal([{"a" => "active", "b" => "waiting", "c" => "waiting", "d" => "done"},
        "running"], [states, state])
      finish_step([7, 8])
      assert_equal([[7], [8]], args_lists)
      store.ack(claim)
      finish_step
      assert_equal(["done", []], [state, store.check])
    end

    def test_an_old_dead_job_does_not_end_a_step_that_was_retried
      open_workflow(job_step("a"))
      one = claim_one
      store.bury(one, one.payload)
      store.retry_workflow("w", "a")
      store.requeue(store.entries(:dead))
      old, fresh = claim.partition { |other| other.item["jid"] == one.item["jid"] }
      store.ack(old)
      assert_equal("running", state)
      store.ack(fresh)
      assert_equal("done", state)
    end

    def test_what_runs_cannot_be_retried
      open_workflow(job_step("a"))
      error = assert_raises(Jobs::Error) { store.retry_workflow("w", "a") }
      assert_match(/workflow w cannot be retried: its step a runs/, error.message)
      assert_match(/no step x/, assert_raises(Jobs::Error) {
        store.retry_workflow("w", "x")
      }.message)
      assert_match(/no workflow v/, assert_raises(Jobs::Error) {
        store.retry_workflow("v", "x")
      }.message)
    end

    def test_a_sub_workflow_ends_its_node
      open_workflow(job_step("a", kind: "flow"), job_step("b", after: %w[a]))
      opener = claim_one
      assert(open_workflow(job_step("s"), id: "w.a", parent: %w[w a]))
      refute(open_workflow(job_step("s"), id: "w.a", parent: %w[w a]))
      store.ack([opener])
      assert_equal({"a" => "active", "b" => "waiting"}, states)
      finish_step
      assert_equal({"a" => "done", "b" => "active"}, states)
    end

    def test_a_failed_sub_workflow_that_goes_on_resumes_its_parent
      open_workflow(job_step("a", kind: "flow"), job_step("b", after: %w[a]))
      opener = claim_one
      open_workflow(job_step("s"), id: "w.a", parent: %w[w a])
      store.ack([opener])
      one = claim_one
      store.bury(one, one.payload)
      assert_equal([{"a" => "dead", "b" => "skipped"}, "failed"], [states, state])
      store.requeue(store.entries(:dead))
      assert_equal([{"a" => "active", "b" => "waiting"}, "running"], [states, state])
      2.times { finish_step }
      assert_equal(["done", "done", []], [state("w.a"), state, store.check])
    end

    def test_a_cancelled_parent_gets_no_sub_workflow
      open_workflow(job_step("a", kind: "flow"))
      claim_one
      assert_equal({"running" => [], "flows" => ["a"]}, store.cancel_workflow("w", "enough"))
      error = assert_raises(Jobs::Error) do
        open_workflow(job_step("s"), id: "w.a", parent: %w[w a])
      end
      assert_match(/workflow w is not running/, error.message)
    end

    def test_a_thousand_elements_fan_out_and_in
      open_workflow(job_step("a"), each_step("b", "a"), job_step("c", after: %w[b]))
      finish_step((0...1000).to_a)
      while (claims = claim(500)).any? { |one| one.item["args"] != ["c"] }
        claims.each { |one| one.result = one.item["args"][0].to_s }
        store.ack(claims)
      end
      assert_equal([1000, 499_500], [result("b").size, result("b").sum])
      assert_equal([["c"], []], [args(claims), store.check])
    end

    private

    def ack_with(claim, value)
      claim.result = JSON.generate(value)
      store.ack([claim])
    end

    def args_lists = store.entries(:queue).map { |one| one.item["args"] }

    def node(name) = store.workflow("w")["nodes"].find { |one| one["name"] == name }
  end
end
