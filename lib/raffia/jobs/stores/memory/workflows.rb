# frozen_string_literal: true

require_relative "workflow_table"

module Raffia
  module Jobs
    module Stores
      class Memory < Store
        class Workflows < Store::Workflows
          needs :lock, :admit, :drop

          def initialize(...)
            super
            @tables = {}
          end

          def open_workflow(id, nodes, about: {}, drafts: [], parent: nil)
            return false if @tables[id] && !replaceable?(id, about, parent)

            check_parent(parent)
            @tables.delete(id)
            table = @tables[id] = WorkflowTable.new(id, nodes, about, parent, @admit) do |other|
              @tables[other]&.record&.open?
            end
            drafts.each(&@admit)
            change(table, &:open)
            @lock.broadcast
            true
          end

          def workflow(id)
            table = @tables[id] or return
            table.record.to_h.merge("nodes" => table.nodes.map(&:to_h))
          end

          def workflows(offset: 0, limit: 50)
            (@tables.values.reverse[offset, limit] || []).map { |table| table.record.to_h }
          end

          def workflow_result(id, name)
            table = @tables[id] or return
            node = table.node(name) or return
            return node.result unless node.each?

            "[#{table.children(name).map { |child| child.result || "null" }.join(",")}]"
          end

          def cancel_workflow(id, reason)
            table = @tables[id]
            return unless table&.record&.open?

            @drop.call(id) if change(table) { |transition| transition.cancel(reason) }
            active = table.nodes.select { |node| node.active? && !node.each? && !node.undo? }
            flows, jobs = active.partition { |node| node.kind == "flow" }
            {"running" => jobs.map(&:jid), "flows" => flows.map(&:name)}
          end

          def retry_workflow(id, name)
            table = @tables[id] or raise(Error, Store::Workflows.missing(id))
            change(table) { |transition| transition.restart(name) }
            @lock.broadcast
            nil
          end

          def undo_workflow(id, reason)
            table = @tables[id] or return false
            change(table) { |transition| transition.undo(reason) }
            @lock.broadcast
            true
          end

          # Whether jobs of this workflow that would wait have to end.
          def cancelling?(id) = !!@tables[id]&.record&.cancelling?

          # Counts the end of a job: `how` is :done or :dead.
          def ended(job, how, result)
            table = @tables[job.workflow["id"]] or return
            change(table) { |one| one.finish(job.workflow["node"], job.jid, how, result) }
          end

          # Counts a dead job that is tried again.
          def revived(job)
            table = @tables[job.workflow["id"]] or return
            change(table) { |one| one.revive(job.workflow["node"], job.jid) }
          end

          def prune(before)
            @tables.delete_if do |_, table|
              record = table.record
              record.completed_at && record.completed_at < before && !@tables.key?(record.parent)
            end
          end

          # Violations, for people.
          def check
            @tables.each_value.filter_map do |table|
              pending = table.nodes.count { |node| !node.ended? }
              next if table.record.pending == pending

              "workflow #{table.record.id} counts #{table.record.pending} pending nodes, and has " \
                "#{pending}"
            end
          end

          private

          def check_parent(parent)
            return if parent.nil? || @tables[parent.first]&.record&.running?

            raise Error, "workflow #{parent.first} is not running: it gets no sub-workflow"
          end

          def replaceable?(id, about, parent)
            parent && Store::Workflow::Record.replaceable?(@tables[id].record, about)
          end

          def change(table, &)
            value = change_once(table, &)
            while (draft = table.rejected.shift)
              change_once(table) { |one| one.reject(draft) }
            end
            value
          end

          def change_once(table)
            transition = Store::Workflow::Transition.new(table)
            value = yield transition
            tell_parent(table.record, transition.news) if transition.news
            value
          end

          def tell_parent(record, news)
            table = @tables[record.parent] or return
            change(table) do |parent|
              next parent.revive(record.parent_node, nil) if news == :revived

              parent.finish_flow(record.parent_node, record.state)
            end
          end
        end
      end
    end
  end
end
