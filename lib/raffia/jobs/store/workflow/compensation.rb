# frozen_string_literal: true

module Raffia
  module Jobs
    class Store
      module Workflow
        # Adds the undos of a workflow that has failed or was cancelled: of all steps that are done,
        # or perhaps done, one after the other, the last one first.
        class Compensation
          def initialize(table)
            @table = table
          end

          # Returns the added nodes.
          def call
            undos = @table.nodes.select(&:undoable?).sort_by { |node| -node.ended }
              .each_with_index.map { |node, index| undo(node, index) }
            undos.each_with_index do |node, index|
              node.missing = index.zero? ? 0 : 1
              @table.add(node, [undos[index + 1]&.name].compact)
            end
            @table.record.pending += undos.size
            undos
          end

          private

          # It gets the arguments of the step.
          def undo(node, index)
            plan = node.plan
            item = {**plan["undo"], "args" => plan["item"]["args"]}
            Node.of(Record.undo(node.name), "undo", {"item" => item, "on_failure" => "run",
              "undoes" => node.jid, **plan.slice("flow")}, position: index)
          end
        end
      end
    end
  end
end
