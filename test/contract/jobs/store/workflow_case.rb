# frozen_string_literal: true

require_relative "case"

module JobsStoreContract
  # Shared by tests of workflows. The first argument of a step's job is the step's name.
  module WorkflowCase
    include Case

    def job_step(name, *args, kind: "job", after: [], **fields)
      {"name" => name, "kind" => kind, "after" => after, "item" => item(name, *args),
       **fields.transform_keys(&:to_s)}
    end

    # An `each`: its jobs have the element as first argument.
    def each_step(name, from, *args, after: [], **fields)
      {**job_step(name, kind: "each", after: after, **fields), "from" => from,
                                                               "item" => item(*args)}
    end

    def undo(name) = {"undo" => item(name)}

    def item(*args)
      JSON.parse(Jobs::Payload.dump(Jobs::Client::PayloadBuilder.build({"class" => "NoJob",
        "args" => args})))
    end

    def open_workflow(*nodes, id: "w", **how)
      store.open_workflow(id, nodes, about: {"name" => "test"}, **how)
    end

    def states(id = "w") = store.workflow(id)["nodes"].to_h { |one| one.values_at("name", "state") }

    def state(id = "w") = store.workflow(id)["state"]

    def result(name, id = "w") = JSON.parse(store.workflow_result(id, name))

    # Claims the only job, and acks it with a result.
    def finish_step(value = nil)
      one = claim_one
      one.result = JSON.generate(value) unless value.nil?
      store.ack([one])
      one
    end
  end
end
