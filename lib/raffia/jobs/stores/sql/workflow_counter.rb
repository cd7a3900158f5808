# frozen_string_literal: true

require_relative "workflow_table"

module Raffia
  module Jobs
    module Stores
      class SQL < Store
        # Changes workflows in a transaction: ends of jobs start other jobs, and end sub-workflows.
        # Workflows are locked in the order of their ids, sub-workflows before their parents, whose
        # ids are shorter.
        # @api private
        class WorkflowCounter
          # The block enqueues jobs.
          def initialize(&enqueue)
            @enqueue = enqueue
          end

          # Yields a transition of a workflow, and saves it. Nil: it does not exist. `nodes` are
          # names of those that will be needed.
          def change(db, id, nodes = [])
            table = WorkflowTable.load(db, id) or return
            table.prepare(nodes) if nodes.size > 1
            transition = Store::Workflow::Transition.new(table)
            value = yield transition
            save(db, table, transition)
            value
          end

          def open(db, table)
            transition = Store::Workflow::Transition.new(table)
            transition.open
            save(db, table, transition)
          end

          # `results` has results by the ids of jobs; `how` is :done or :dead.
          def ended(db, jobs, how, results)
            jobs.group_by(&:workflow).sort_by(&:first).reverse_each do |id, some|
              change(db, id, some.map(&:node)) do |transition|
                some.each { |job| transition.finish(job.node, job.jid, how, results[job.id]) }
              end
            end
          end

          # Whether jobs of this workflow that would wait have to end. A cancel waits for this, or
          # came before.
          def cancelling?(db, id) = WorkflowTable.load(db, id)&.record&.cancelling?

          # Counts a dead job that is tried again.
          def revived(db, id, node, jid) = change(db, id) { |one| one.revive(node, jid) }

          private

          def save(db, table, transition)
            table.save
            ids = @enqueue.call(db, table.drafts) if table.drafts.any?
            tell_parent(db, table.record, transition.news) if transition.news
            table.drafts.zip(ids).each { |draft, id| reject(db, table, draft) unless id } if ids
          end

          # A unique job keeps it out.
          def reject(db, table, draft) = change(db, table.record.id) { |one| one.reject(draft) }

          def tell_parent(db, record, news)
            return unless record.parent

            change(db, record.parent) do |parent|
              next parent.revive(record.parent_node, nil) if news == :revived

              parent.finish_flow(record.parent_node, record.state)
            end
          end
        end
      end
    end
  end
end
