# frozen_string_literal: true

require "raffia/jobs/explanation"
require_relative "flow_case"

module JobsStoreContract
  # Durable functions that sleep, or wait for signals.
  module FlowWaits
    include FlowCase

    def test_a_sleeping_job_is_scheduled_and_goes_on_later
      id, one = started
      assert_equal([:parked], store.await_step(one, sleeping, HOUR))
      assert_places(scheduled: 1)
      assert_in_delta(now + HOUR, store.entries(:scheduled).first.at, 30)
      assert_equal("waiting", status(id))
      refute(store.ack([one]).first)
      store.requeue(store.entries(:scheduled))
      again = claim_one
      pending = store.load_flow(again)["history"].first
      assert_predicate(pending, :pending?)
      assert_in_delta(now + HOUR, pending.at, 30)
      assert_equal([:parked], store.await_step(again, sleeping, 9 * HOUR))
      assert_in_delta(pending.at, store.entries(:scheduled).first.at, 0.001)
      assert_equal([], store.check)
    end

    def test_a_sleep_ends_when_its_time_has_come
      id, one = started
      assert_equal([:parked], store.await_step(one, sleeping, 0.05))
      again = claim_when_due
      assert_equal([:done, "[]"], store.await_step(again, sleeping, HOUR))
      assert_equal(["[]"], store.flow_steps(id).map(&:value))
      assert_equal([:done, "[]"], store.await_step(again, sleeping(1), 0))
    end

    def test_a_signal_that_came_before_is_taken_at_once
      id, one = started
      assert_equal(true, store.signal_flow(id, "go", "{\"a\":[]}"))
      assert_equal(true, store.signal_flow(id, "go", "2"))
      assert_equal(%w[go go], store.flow(id)["signals"])
      assert_equal([:done, "[{\"a\":[]}]"], store.await_step(one, waiting("go"), HOUR))
      assert_equal([:done, "[2]"], store.await_step(one, waiting("go", 1), nil))
      assert_equal([], store.flow(id)["signals"])
      assert_equal([:parked], store.await_step(one, waiting("go", 2), nil))
    end

    def test_a_signal_wakes_the_flow_that_waits_for_it
      id, one = started
      assert_equal([:parked], store.await_step(one, waiting("go"), nil))
      assert_equal([], claim)
      assert_equal(true, store.signal_flow(id, "go", "7"))
      assert_places(queue: 1)
      assert_equal([:done, "[7]"], store.await_step(claim_one, waiting("go"), nil))
      assert_equal([], store.check)
    end

    def test_a_signal_with_the_same_key_is_ignored
      id, = started
      assert_equal(true, store.signal_flow(id, "go", "1", key: "k"))
      assert_equal(false, store.signal_flow(id, "go", "2", key: "k"))
      assert_equal(true, store.signal_flow(id, "stop", "3", key: "k"))
      assert_equal(%w[go stop], store.flow(id)["signals"])
    end

    def test_a_signal_of_another_name_stays
      id, one = started
      store.await_step(one, waiting("go"), HOUR)
      store.signal_flow(id, "other", "1")
      assert_places(scheduled: 1)
      assert_equal(%w[other], store.flow(id)["signals"])
    end

    def test_a_wait_ends_at_its_deadline
      id, one = started
      assert_equal([:parked], store.await_step(one, waiting("go"), 0.05))
      again = claim_when_due
      assert_equal([:done, "[]"], store.await_step(again, waiting("go"), HOUR))
      store.signal_flow(id, "go", "1")
      assert_equal(%w[go], store.flow(id)["signals"])
    end

    def test_a_scheduled_start_is_not_woken
      id = start(at: now + HOUR)
      store.signal_flow(id, "go", "1")
      assert_places(scheduled: 1)
    end

    def test_several_waits_end_with_the_first
      id, one = started
      assert_equal([:pending], store.await_step(one, sleeping("0.0.0"), HOUR, park: false))
      assert_equal([:pending], store.await_step(one, waiting("go", "0.1.0"), nil, park: false))
      assert_places(running: 1)
      assert_equal(:parked, store.park_flow(one))
      assert_in_delta(now + HOUR, store.entries(:scheduled).first.at, 30)
      store.signal_flow(id, "go", "1")
      again = claim_one
      assert_equal(:ready, store.park_flow(again))
      assert_equal([:done, "[1]"], store.await_step(again, waiting("go", "0.1.0"), nil))
      assert_equal(:parked, store.park_flow(again))
    end

    def test_a_signal_before_the_park_is_not_lost
      id, one = started
      store.await_step(one, waiting("go"), nil, park: false)
      store.signal_flow(id, "go", "1")
      assert_equal(:ready, store.park_flow(one))
      assert_places(running: 1)
    end

    def test_a_waiting_job_frees_its_limit
      limit = {limit: {"key" => "l", "max" => 1}}
      start(1, own: limit)
      start(2, own: limit)
      one = claim_one
      assert_places(running: 1, blocked: 1)
      store.load_flow(one)
      store.await_step(one, sleeping, HOUR)
      assert_equal([2], args([claim_one]))
      assert_equal([], store.check)
    end

    # The answer was lost, and the worker asks again.
    def test_a_wait_that_has_ended_is_repeated_with_the_same_signal
      id, one = started
      %w[1 2].each { |payload| store.signal_flow(id, "go", payload) }
      2.times { assert_equal([:done, "[1]"], store.await_step(one, waiting("go"), nil)) }
      assert_equal(%w[go], store.flow(id)["signals"])
    end

    def test_an_explanation_tells_what_a_function_waits_for
      id, one = started
      store.await_step(one, sleeping("0.0.0"), HOUR, park: false)
      store.await_step(one, waiting("go", "0.1.0"), nil, park: false)
      store.await_step(one, waiting("stop", "0.2.0"), 2 * HOUR, park: false)
      store.await_step(one, waiting("child:c7", "0.3.0"), nil, park: false)
      store.park_flow(one)
      later = now + 1800
      found = Jobs::Explanation.new(store, now: later).call(id)["reasons"]
      assert_equal(["it sleeps for N s more", "it waits for the signal go",
        "it waits for the signal stop, for N s more",
        "it waits for the end of the durable function c7"],
        found.map { |one| one["message"].gsub(/\d+ s/, "N s") })
      [1800, 5400].zip(found.filter_map { |one| one["due_in"] }) do |expected, seconds|
        assert_in_delta(expected, seconds, 60)
      end
      assert_equal(%w[sleeping signal signal child], found.map { |one| one["reason"] })
      assert_equal(["go", "c7"], [found[1]["signal"], found[3]["child"]])
    end

    def test_an_explanation_tells_that_a_function_is_stuck
      id, one = started
      store.stall_flow(one, "step 1 is gone", HOUR)
      assert_match(/\Aits code does not fit its recorded steps: step 1 is gone. It is tried again /,
        Jobs::Explanation.new(store).call(id)["reasons"].first["message"])
    end

    def test_an_explanation_of_a_function_that_has_not_begun_is_that_of_a_job
      later = start(at: now + HOUR)
      id, one = started(2)
      store.await_step(one, sleeping, HOUR)
      why = [[later, now], [id, now + 2 * HOUR]].map do |jid, time|
        Jobs::Explanation.new(store, now: time).call(jid)["reasons"].first["reason"]
      end
      assert_equal(%w[scheduled overdue], why)
    end

    private

    def claim_when_due
      wait_until do
        store.promote
        claim.first
      end
    end
  end
end
