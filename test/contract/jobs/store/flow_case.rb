# frozen_string_literal: true

require_relative "case"

module JobsStoreContract
  # Shared by the tests of flows.
  module FlowCase
    include Case

    Step = Raffia::Jobs::FlowStep
    HOUR = 3600

    # Enqueues a durable function, and returns its id.
    def start(arg = 1, flow: {}, own: {}, **how)
      store.enqueue([flow_draft(arg, flow: flow, own: own, **how)]).first
    end

    def flow_draft(arg = 1, flow: {}, own: {}, **how)
      draft(arg, **how, own: {"flow" => {"class" => "NoJob", **flow}, **own})
    end

    # Starts a function, claims its job, and begins its run.
    def started(arg = 1, **how)
      id = start(arg, **how)
      claim = claim_one
      store.load_flow(claim)
      [id, claim]
    end

    def step(place, value = "1", kind: "step", name: "s", **fields)
      Step.new(place: place.to_s, kind: kind, name: name, value: value, **fields)
    end

    def sleeping(place = 0) = step(place, nil, kind: "sleep")

    def waiting(signal, place = 0) = step(place, nil, kind: "wait", name: signal, signal: signal)

    def places_of(id) = store.flow_steps(id).map(&:place)

    def status(id) = store.flow(id)["status"]
  end
end
