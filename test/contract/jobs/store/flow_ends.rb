# frozen_string_literal: true

require_relative "flow_case"

module JobsStoreContract
  # Ends of durable functions, and what their parents hear of them.
  module FlowEnds
    include FlowCase

    def test_the_result_is_kept
      id, one = started
      assert_equal(true, store.close_flow(one, "done", result: "{\"r\":[]}"))
      flow = store.flow(id)
      assert_equal(["done", "{\"r\":[]}", nil], flow.values_at("status", "result", "error"))
      assert_in_delta(now, flow["ended_at"], 30)
      assert_equal("done", store.load_flow(one)["status"])
      assert_equal([true], store.ack([one]))
      assert_equal("done", status(id))
      assert_nil(store.signal_flow(id, "late", "1"))
      assert_nil(store.signal_flow("none", "late", "1"))
    end

    def test_a_dead_job_is_a_failed_flow_and_goes_on_when_it_is_requeued
      id, one = started
      store.record_step(one, step(0))
      store.bury(one, one.payload)
      assert_equal("failed", status(id))
      store.requeue(store.entries(:dead))
      assert_equal("pending", status(id))
      assert_nil(store.flow(id)["ended_at"])
      assert_equal(1, store.load_flow(claim_one)["history"].size)
    end

    def test_a_removed_job_is_a_failed_flow
      ids = Array.new(4) { |n| start(n) }
      store.delete(store.entries(:queue).first(1))
      store.discard(claim(1).first)
      store.kill(store.entries(:queue).first(1))
      store.clear(:queue)
      assert_equal(%w[failed] * 4, ids.map { |id| status(id) })
    end

    def test_an_acknowledged_job_is_a_done_flow
      id = start
      store.ack([claim_one])
      assert_equal("done", status(id))
    end

    def test_the_end_of_a_child_wakes_its_parent
      id, one = started
      child = flow_draft(2, flow: {"parent" => id})
      store.record_step(one, step(0), drafts: [child])
      name = "child:#{child.jid}"
      store.await_step(one, waiting(name, 1), nil)
      own = claim_one
      store.load_flow(own)
      store.close_flow(own, "done", result: "[1,[]]")
      assert_equal([:done, "[{\"status\":\"done\",\"result\":[1,[]],\"error\":null}]"],
        store.await_step(claim_one, waiting(name, 1), nil))
    end

    def test_a_dead_child_wakes_its_parent
      id, one = started
      child = flow_draft(2, flow: {"parent" => id})
      store.record_step(one, step(0), drafts: [child])
      store.await_step(one, waiting("child:#{child.jid}", 1), nil)
      own = claim_one
      store.bury(own, own.payload)
      assert_equal([:done, "[{\"status\":\"failed\",\"result\":null,\"error\":null}]"],
        store.await_step(claim_one, waiting("child:#{child.jid}", 1), nil))
    end

    def test_a_cancel_is_seen_by_the_next_write_and_wakes
      id, one = started
      assert_equal(true, store.cancel_flow(id))
      assert_equal(:cancelling, store.record_step(one, step(0)))
      assert_equal([:cancelling], store.await_step(one, sleeping(1), HOUR))
      assert_equal(true, store.load_flow(one)["cancelled"])
      assert_equal([:parked], store.await_step(one, sleeping(1), HOUR, cancellable: false))
      store.cancel_flow(id)
      again = claim_one
      assert_equal(:ready, store.park_flow(again))
      assert_equal(true, store.close_flow(again, "cancelled", error: "it was \"cancelled\""))
      assert_equal(["cancelled", "it was \"cancelled\""],
        store.flow(id).values_at("status", "error"))
      assert_equal(false, store.cancel_flow(id))
      assert_equal(false, store.cancel_flow("none"))
    end

    def test_a_cancel_reaches_children_that_are_not_abandoned
      id, one = started
      drafts = [flow_draft(2, flow: {"parent" => id}),
        flow_draft(3, flow: {"parent" => id, "abandon" => true})]
      store.record_step(one, step(0), drafts: drafts)
      store.cancel_flow(id)
      assert_equal([true, false], drafts.map { |one| store.flow(one.jid)["cancelled"] })
    end

    def test_a_step_clears_the_deaths_of_workers_before_it
      4.times do |n|
        id = start if n.zero?
        lose
        one = (claim + claim(suspects: true)).first
        assert_equal(1, one.extras["crashes"]) if n.positive?
        store.load_flow(one)
        store.record_step(one, step(n))
        store.release([one])
        refute_includes(store.entries(:queue).first.payload, "crashes")
        assert(id.nil? || store.flow(id))
      end
    end

    def test_a_flow_goes_on_with_other_arguments_and_no_steps
      id, one = started
      store.record_step(one, step(0))
      store.record_step(one, step(1, "5", kind: "publish"))
      store.signal_flow(id, "go", "1")
      item = one.item.merge("args" => [2])
      assert_equal(true, store.continue_flow(one, JSON.generate(item)))
      assert_equal([2, "pending", "5", %w[go], 0],
        store.flow(id).values_at("run", "status", "state", "signals", "steps"))
      again = claim_one
      assert_equal([2], again.item["args"])
      assert_equal([], store.load_flow(again)["history"])
      assert_equal(:running, store.record_step(again, step(0, "9")))
      assert_equal(["9"], store.flow_steps(id).map(&:value))
    end

    def test_a_stuck_flow_is_tried_again_later
      id, one = started
      assert_equal(true, store.stall_flow(one, "step \"a\" is gone", HOUR))
      assert_places(scheduled: 1)
      assert_equal(["stuck", "step \"a\" is gone"], store.flow(id).values_at("status", "error"))
      store.signal_flow(id, "go", "1")
      assert_places(scheduled: 1)
      store.requeue(store.entries(:scheduled))
      assert_equal("running", store.load_flow(claim_one)["status"])
    end

    def test_old_flows_are_pruned
      id, one = started
      store.record_step(one, step(0))
      store.signal_flow(id, "go", "1")
      other = start
      store.close_flow(one, "done", result: "1")
      store.ack([one])
      store.prune
      assert(store.flow(id))
      wait_until do
        store.prune(batches_for: 0)
        store.flow(id).nil?
      end
      assert_equal([[], "pending"], [store.flow_steps(id), status(other)])
    end
  end
end
