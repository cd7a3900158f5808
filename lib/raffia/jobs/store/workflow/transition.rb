# frozen_string_literal: true

require_relative "node"
require_relative "progress"
require_relative "record"
require_relative "restart"

module Raffia
  module Jobs
    class Store
      module Workflow
        # Changes a workflow by one event. The store runs it in one transaction, with the workflow
        # locked, through a table:
        #
        # * `record`, `node(name)` (nil: there is none), `nodes`, `children(name)` of an `each`,
        #   `dependants(name)`: names, sorted, `flow_open?(name)`: whether this step's sub-workflow
        #   is there and has not ended
        # * `add(node, dependants)`, `remove_children(name)`, `changed(node)`, `enqueue(draft)`; the
        #   only dependant of an element is its `each`
        #
        # It costs as many reads as the node has dependants; a cancel, a restart and a compensation
        # read all nodes.
        class Transition
          def initialize(table)
            @table = table
            @record = table.record
            @progress = Progress.new(table)
          end

          # :ended or :revived, what the parent has to learn; nil: nothing.
          def news = @progress.news

          # Starts the nodes without predecessors of a new workflow.
          def open
            @progress.go_on(@table.nodes.select { |node| node.missing.zero? })
          end

          # A job has ended: `how` is :done or :dead. Only the job that the node has now counts. The
          # job of a `flow` only opens the sub-workflow, whose end is the node's.
          def finish(name, jid, how, result = nil)
            node = @table.node(name)
            return unless node&.active? && node.jid == jid
            return if node.flow? && (how == :done || @table.flow_open?(name))

            node.result = result if how == :done
            complete(node, how == :done)
          end

          # A sub-workflow has ended, or its undo has: `state` is its own.
          def finish_flow(name, state)
            node = node_of_flow(name)
            return unless node&.active?

            complete(node, node.undo? ? state != "stuck" : state == "done")
          end

          # A unique job keeps this draft out. There is nothing to undo then.
          def reject(draft)
            node = @table.node(draft.extras["workflow"]["node"])
            unique = node.plan["item"][Payload::OWN]["unique"]
            raised = unique["conflict"] == "raise"
            node.jid = nil
            node.error = "another job has its unique key #{unique["key"]}" if raised
            @progress.end_node(node, raised ? "dead" : "done")
            @progress.go_on
          end

          # A dead job is tried again. A nil jid stands for a sub-workflow.
          def revive(name, jid)
            node = jid ? @table.node(name) : node_of_flow(name)
            return unless node&.dead? && [nil, node.jid].include?(jid) && may_revive?(node)

            reopen_record(node.undo? ? "undoing" : "running")
            Restart.new(@table).reopen(node)
          end

          # Ends what waits. False: it is not running.
          def cancel(reason)
            return false unless @record.running?

            @record.state = "cancelling"
            @record.reason = reason
            @table.nodes.select(&:waiting?).each { |node| @progress.close(node, "cancelled") }
            @progress.go_on
            true
          end

          # Undoes what is done. What has ended otherwise only tells its parent.
          def undo(reason)
            return cancel(reason) if @record.running?
            return if @record.open?
            return @progress.news = :ended unless @record.state == "done"

            @record.reason = reason
            @record.completed_at = nil
            @progress.compensate || @progress.conclude_as("undone")
          end

          # Runs a step and all that depend on it once more. Raises {Error}.
          def restart(name)
            ready = Restart.new(@table).reset(name)
            reopen_record("running")
            @progress.go_on(ready)
          end

          private

          # During the compensation, what a sub-workflow tells is about its undo.
          def node_of_flow(name)
            undo = Record.undo(name) if %w[undoing stuck].include?(@record.state)
            (undo && @table.node(undo)) || @table.node(name)
          end

          def complete(node, done)
            @progress.end_node(node, done ? "done" : @progress.failure(node))
            @progress.go_on
          end

          # After its compensation a workflow does not go on.
          def may_revive?(node)
            states = node.undo? ? %w[undoing stuck] : %w[running failed]
            states.include?(@record.state)
          end

          def reopen_record(state)
            @progress.news = :revived unless @record.open?
            @record.state = state
            @record.completed_at = nil
          end
        end
      end
    end
  end
end
