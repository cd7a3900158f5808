# frozen_string_literal: true

require_relative "../page"
require_relative "../pager"
require_relative "../workflow_graph"

module Raffia
  module Jobs
    class Web
      module Pages
        # Workflows, newest first.
        class Workflows < Page
          PAGE = 50

          def data = shown

          private

          def shown = @shown ||= pager.cut(store.workflows(offset: pager.offset, limit: PAGE + 1))

          def pager = @pager ||= Pager.new(self, PAGE)

          def name_of(workflow) = workflow["about"].to_h["class"] || workflow["id"]
        end

        # One workflow: its graph, and its steps.
        class Workflow < Page
          # Steps in the table, at most.
          STEPS = 500

          def title = "Workflow #{text(data["about"].to_h["class"] || data["id"])}"

          def data
            @data ||= store.workflow(required("id")) ||
              raise(NotFound.new("There is no workflow #{request["id"]}: it may have been thrown " \
                "away since it ended.", name: request["id"]))
          end

          def change(action)
            raise(ConfigError, "#{action.inspect} is nothing that can be done here") if
              action != "cancel"

            id = required("id")
            done = Jobs::Workflow::Handle.new(id, store).cancel("cancelled on the dashboard")
            outcome(done ? "ending" : "unchanged", nil, id: id)
          end

          def current?(to) = to == "/workflows"

          private

          def graph = @graph ||= WorkflowGraph.new(data["nodes"])
        end
      end
    end
  end
end
