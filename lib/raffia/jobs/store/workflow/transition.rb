# frozen_string_literal: true

require_relative "compensation"
require_relative "node"
require_relative "record"
require_relative "restart"
require_relative "start"

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
          # :ended or :revived, what the parent has to learn; nil: nothing.
          attr_reader :news

          def initialize(table)
            @table = table
            @record = table.record
            @start = Start.new(table)
            @ready = []
            @news = nil
          end

          # Starts the nodes without predecessors of a new workflow.
          def open
            @ready = @table.nodes.select { |node| node.missing.zero? }
            proceed
          end

          # A job has ended: `how` is :done or :dead. Only the job that the node has now counts. The
          # job of a `flow` only opens the sub-workflow, whose end is the node's.
          def finish(name, jid, how, result = nil)
            node = @table.node(name)
            return unless node&.active? && node.jid == jid
            return if node.flow? && (how == :done || @table.flow_open?(name))

            node.result = result if how == :done
            end_node(node, (how == :done) ? "done" : failure(node))
            proceed
          end

          # A sub-workflow has ended, or its undo has: `state` is its own.
          def finish_flow(name, state)
            node = node_of_flow(name)
            return unless node&.active?

            done = node.undo? ? state != "stuck" : state == "done"
            end_node(node, done ? "done" : failure(node))
            proceed
          end

          # A unique job keeps this draft out. There is nothing to undo then.
          def reject(draft)
            node = @table.node(draft.extras["workflow"]["node"])
            unique = node.plan["item"][Payload::OWN]["unique"]
            raised = unique["conflict"] == "raise"
            node.jid = nil
            node.error = "another job has its unique key #{unique["key"]}" if raised
            end_node(node, raised ? "dead" : "done")
            proceed
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
            @table.nodes.select(&:waiting?).each { |node| close(node, "cancelled") }
            proceed
            true
          end

          # Undoes what is done. What has ended otherwise only tells its parent.
          def undo(reason)
            return cancel(reason) if @record.running?
            return if @record.open?
            return @news = :ended unless @record.state == "done"

            @record.reason = reason
            @record.completed_at = nil
            compensate || conclude_as("undone")
          end

          # Runs a step and all that depend on it once more. Raises {Error}.
          def restart(name)
            @ready = Restart.new(@table).reset(name)
            reopen_record("running")
            proceed
          end

          private

          # During the compensation, what a sub-workflow tells is about its undo.
          def node_of_flow(name)
            undo = Record.undo(name) if %w[undoing stuck].include?(@record.state)
            (undo && @table.node(undo)) || @table.node(name)
          end

          def failure(node) = (@record.cancelling? && !node.undo?) ? "cancelled" : "dead"

          # After its compensation a workflow does not go on.
          def may_revive?(node)
            states = node.undo? ? %w[undoing stuck] : %w[running failed]
            states.include?(@record.state)
          end

          def reopen_record(state)
            @news = :revived unless @record.open?
            @record.state = state
            @record.completed_at = nil
          end

          # Without recursion, because chains may be long.
          def proceed
            while (node = @ready.shift)
              advance(node)
            end
            conclude if @record.pending.zero? && @record.open?
          end

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

          def close(node, state)
            node.state = state
            node.ended = @record.ended += 1
            @record.pending -= 1
            @record.dead += 1 if state == "dead"
            @table.changed(node)
          end

          def end_node(node, state)
            close(node, state)
            return conclude_as("stuck") if node.undo? && state == "dead"

            @table.dependants(node.name).each { |name| count(@table.node(name), node) }
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

          # False: there is nothing to undo.
          def compensate
            undos = Compensation.new(@table).call
            return false if undos.empty?

            @record.state = "undoing"
            @ready << undos.first
            proceed
            true
          end

          def conclude_as(state)
            @record.state = state
            @record.completed_at = Time.now.to_f
            @news = :ended
          end
        end
      end
    end
  end
end
