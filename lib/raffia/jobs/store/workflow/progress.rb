# frozen_string_literal: true

require_relative "compensation"
require_relative "start"

module Raffia
  module Jobs
    class Store
      module Workflow
        # Starts the nodes that become ready, and ends the workflow with the last one.
        class Progress
          # :ended or :revived, what the parent has to learn; nil: nothing.
          attr_accessor :news

          def initialize(table)
            @table = table
            @record = table.record
            @start = Start.new(table)
            @ready = []
            @news = nil
          end

          # Goes on as far as it can; these nodes are ready. Without recursion, because chains may
          # be long.
          def go_on(ready = [])
            @ready.concat(ready)
            while (node = @ready.shift)
              advance(node)
            end
            conclude if @record.pending.zero? && @record.open?
          end

          # Ends a node that is not dead or done by itself: its dependants do not learn it.
          def close(node, state)
            node.state = state
            node.ended = @record.ended += 1
            @record.pending -= 1
            @record.dead += 1 if state == "dead"
            @table.changed(node)
          end

          # Ends a node, and counts it for its dependants. A dead undo ends the workflow.
          def end_node(node, state)
            close(node, state)
            return conclude_as("stuck") if node.undo? && state == "dead"

            @table.dependants(node.name).each { |name| count(@table.node(name), node) }
          end

          # The state of a node that has failed.
          def failure(node) = (@record.cancelling? && !node.undo?) ? "cancelled" : "dead"

          # Adds undos and starts the first one. False: there is nothing to undo.
          def compensate
            undos = Compensation.new(@table).call
            return false if undos.empty?

            @record.state = "undoing"
            go_on([undos.first])
            true
          end

          def conclude_as(state)
            @record.state = state
            @record.completed_at = Time.now.to_f
            @news = :ended
          end

          private

          def advance(node)
            return end_node(node, node.bad.zero? ? "done" : failure(node)) if node.active?
            return end_node(node, "cancelled") if @record.cancelling?
            return end_node(node, "skipped") if node.bad.positive? && !node.runs_after_failure?

            @start.call(node)
            @ready << node if node.each? && node.missing.zero?
          rescue Start::Impossible => error
            node.error = error.message
            end_node(node, "dead")
          end

          def count(dependant, node)
            return unless dependant.waits_for?(node)

            dependant.missing -= 1
            dependant.bad += 1 unless node.done?
            @table.changed(dependant)
            @ready << dependant if dependant.missing.zero?
          end

          def conclude
            return conclude_as("undone") if @record.undoing?

            state = if @record.cancelling?
              "cancelled"
            else
              @record.dead.zero? ? "done" : "failed"
            end
            conclude_as(state) unless state != "done" && compensate
          end
        end
      end
    end
  end
end
