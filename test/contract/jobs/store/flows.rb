# frozen_string_literal: true

require_relative "flow_case"

module JobsStoreContract
  # Recorded steps of durable functions.
  module Flows
    include FlowCase

    def test_a_draft_with_a_flow_makes_one
      id = start
      flow = store.flow(id)
      expected = {"id" => id, "class" => "NoJob", "run" => 1, "status" => "pending",
                  "cancelled" => false, "encrypted" => false, "parent" => nil, "state" => nil, "result" => nil,
                  "error" => nil, "ended_at" => nil, "steps" => 0, "signals" => []}
      assert_equal(expected, flow.except("started_at"))
      assert_in_delta(now, flow["started_at"], 30)
      assert_equal([], store.flow_steps(id))
      assert_nil(store.flow("none"))
      assert_equal([], store.flow_steps("none"))
    end

    def test_flows_are_counted_by_status
      store.await_step(started.last, sleeping, HOUR)
      2.times { |n| start(n) }
      assert_equal({"pending" => 2, "waiting" => 1}, store.flow_counts)
      assert_includes(Jobs::StoreMetrics.text(Jobs::StoreState.new(store)),
        "raffia_flows{status=\"pending\"} 2\n")
    end

    def test_a_flow_knows_that_its_values_are_encrypted
      assert(store.flow(start(flow: {"encrypted" => true}))["encrypted"])
      refute(store.flow(start(2))["encrypted"])
    end

    def test_steps_are_recorded_and_read_in_their_order
      id, one = started
      assert_equal(:running, store.record_step(one, step(0, "{\"a\":[]}")))
      assert_equal(:running, store.record_step(one, step(10, "\"\\u0000\\\\\"", name: "é")))
      assert_equal(:running, store.record_step(one, step("2.1.0", "null", kind: "time")))
      steps = store.flow_steps(id)
      assert_equal(%w[0 10 2.1.0], steps.map(&:place))
      assert_equal(["{\"a\":[]}", "\"\\u0000\\\\\"", "null"], steps.map(&:value))
      assert_equal(%w[s é s], steps.map(&:name))
      assert_equal(%w[step step time], steps.map(&:kind))
      assert_equal(steps, store.load_flow(one)["history"])
      assert_equal([3, "running"], store.flow(id).values_at("steps", "status"))
    end

    def test_a_place_is_recorded_once
      id, one = started
      store.record_step(one, step(0, "1"))
      assert_equal(:running, store.record_step(one, step(0, "2"), drafts: [draft(7)]))
      assert_equal(%w[1], store.flow_steps(id).map(&:value))
      assert_places(running: 1)
    end

    def test_steps_of_an_invalid_claim_are_not_recorded
      id, old = started
      store.release([old])
      assert_nil(store.record_step(old, step(0), drafts: [draft(7)]))
      again = claim_one
      assert_nil(store.record_step(old, step(0)), "the job was claimed anew")
      assert_nil(store.load_flow(old))
      assert_nil(store.await_step(old, sleeping, 5))
      assert_nil(store.park_flow(old))
      assert_nil(store.continue_flow(old, old.payload))
      assert_nil(store.stall_flow(old, "no", 5))
      assert_nil(store.close_flow(old, "done", result: "1"))
      assert_equal([], store.flow_steps(id))
      assert_equal(:running, store.record_step(again, step(0)))
      assert_places(running: 1)
    end

    def test_steps_of_a_dead_worker_are_not_recorded
      id = start
      claims, = lose
      assert_nil(store.record_step(claims.first, step(0)))
      assert_equal([], store.flow_steps(id))
    end

    def test_a_job_without_a_flow_has_no_steps
      enqueue(1)
      error = assert_raises(Jobs::Error) { store.load_flow(claim_one) }
      assert_match(/has no flow: a durable function is enqueued by its class's start/,
        error.message)
    end

    def test_drafts_of_a_step_are_enqueued_with_it
      id, one = started
      child = flow_draft(2, flow: {"parent" => id})
      assert_equal(:running, store.record_step(one, step(0), drafts: [child, draft(3)]))
      assert_places(running: 1, queue: 2)
      assert_equal(id, store.flow(child.jid)["parent"])
    end

    def test_a_published_step_is_the_state_of_the_flow
      id, one = started
      store.record_step(one, step(0, "{\"done\":3}", kind: "publish"))
      store.record_step(one, step(1, "4"))
      assert_equal("{\"done\":3}", store.flow(id)["state"])
    end

    def test_flows_are_listed_newest_first
      ids = Array.new(3) { |n| start(n) }
      store.load_flow(one = claim(1).first)
      assert_equal(ids.reverse, store.flows.map { |flow| flow["id"] })
      assert_equal([ids[1]], store.flows(offset: 1, limit: 1).map { |flow| flow["id"] })
      assert_equal([one.item["jid"]], store.flows(status: "running").map { |flow| flow["id"] })
      assert_equal(store.flow(ids[0]), store.flows.last)
    end

    def test_a_rejected_unique_job_has_no_flow
      unique = {"key" => "u", "until" => "done", "conflict" => "skip"}
      start(own: {"unique" => unique})
      assert_nil(start(own: {"unique" => unique}))
      assert_equal(1, store.flows.size)
    end
  end
end
