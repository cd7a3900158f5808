# frozen_string_literal: true

module Raffia
  module Jobs
    class Store
      # Rules of workflows, the same on all stores. See {Workflows}.
      # @api private
      module Workflow
        # A step of a workflow, or one element of an `each`, or an undo.
        #
        # * kind: job, each, flow, undo
        # * state: waiting, active (its job exists, or its elements do), done, dead, skipped,
        #   cancelled
        # * missing, bad: predecessors that have not ended, and that have ended without success; of
        #   an active `each`, elements
        # * spec: JSON, see {Workflows#open_workflow}
        # * ended: its number in the order of ends
        # * parent, position: the `each` that an element belongs to
        Node = Struct.new(:name, :kind, :state, :missing, :bad, :spec, :jid, :result, :error,
          :ended, :parent, :position) do
          def self.of(name, kind, spec, missing: 0, parent: nil, position: 0)
            new(name, kind, "waiting", missing, 0, JSON.generate(spec), nil, nil, nil, nil, parent,
              position)
          end

          def plan = @plan ||= JSON.parse(spec)
          def waiting? = state == "waiting"
          def active? = state == "active"
          def done? = state == "done"
          def dead? = state == "dead"
          def skipped? = state == "skipped"
          def ended? = !waiting? && !active?
          def each? = kind == "each"
          def undo? = kind == "undo"

          # Whether it waits for this node: a predecessor or an element.
          def waits_for?(node) = waiting? || (each? && active? && node.parent == name)

          # Whether it runs although a predecessor has failed.
          def runs_after_failure? = plan["on_failure"] == "run"

          def predecessors = [*plan["after"], *plan["from"]].uniq

          # Whether its job may have had an effect, and says how to undo it. A sub-workflow that is
          # not done has undone itself.
          def undoable?
            states = (kind == "flow") ? %w[done] : %w[done dead cancelled]
            plan.key?("undo") && !jid.nil? && states.include?(state)
          end

          # Whether a sub-workflow ends it, and not its job.
          def flow? = kind == "flow" || (undo? && plan.key?("flow"))

          # For people and tools.
          def to_h
            {"name" => name, "kind" => kind, "state" => state, "missing" => missing,
             "after" => predecessors, "class" => plan.dig("item", "wrapped") ||
               plan["flow"] || plan.dig("item", "class"),
             "jid" => jid, "error" => error, "parent" => parent, "ended" => ended}
          end
        end
      end
    end
  end
end
