# frozen_string_literal: true

module Raffia
  module Jobs
    module Stores
      class Redis < Store
        # Nodes of a workflow, for people and tools: see scripts/parts/workflow_tables.lua.
        # @api private
        class WorkflowNode
          # All nodes of a workflow, in order. `nodes` has them by name, and `plans` those of steps.
          def self.all(nodes, plans)
            plans = plans.transform_values { |json| JSON.parse(json) }
            found = nodes.to_h { |name, text| [name, new(name, text, plans)] }
            found.each_value { |node| node.step = found[node.undone] || node }
            found.values.sort_by(&:place)
          end

          attr_writer :step

          def initialize(name, text, plans)
            @name = name
            @state, json = text.split(" ", 2)
            @fields = JSON.parse(json)
            @plans = plans
          end

          # The step or element that an undo undoes.
          def undone = @fields["undoes"]

          def place = [@fields["position"], @name]

          # The step that has the plan.
          def planned = @fields["parent"] || @name

          def to_h
            plan = @plans.fetch(@step.planned)
            {"name" => @name, "kind" => @fields["kind"], "state" => @state,
             "missing" => @fields["missing"] || 0, "after" => @plans.dig(@name, "after") || [],
             "class" => undone ? plan.dig("undo", "class") : plan["class"],
             **%w[jid error parent ended].to_h { |field| [field, @fields[field]] }}
          end
        end
      end
    end
  end
end
