# frozen_string_literal: true

require_relative "workflow_table"

module Raffia
  module Jobs
    module Stores
      class SQL < Store
        class Workflows < Store::Workflows
          SELECT = "SELECT id, #{WorkflowTable::FIELDS} FROM {workflows}".freeze
          ONE = "#{SELECT} WHERE id = $1".freeze
          NEWEST = "#{SELECT} ORDER BY number DESC LIMIT $1 OFFSET $2".freeze
          COUNTS = "SELECT state, count(*) FROM (SELECT state FROM {workflows} " \
            "ORDER BY number DESC LIMIT $1) AS newest GROUP BY state"
          RESULT = "SELECT kind, result FROM {workflow_nodes} WHERE workflow = $1 AND name = $2"
          RESULTS = "SELECT result FROM {workflow_nodes} WHERE workflow = $1 AND parent = $2 " \
            "ORDER BY position"
          DROP = "DELETE FROM {jobs} WHERE workflow = $1 AND state IN ('queue', 'scheduled', " \
            "'retry', 'blocked') AND special <> #{Cleanup::FLOW} " \
            "{returning} #{Cleanup::COLUMNS}".freeze

          needs :database, :workflow_counter, :cleanup, :enqueue

          def open_workflow(id, nodes, about: {}, drafts: [], parent: nil)
            @database.write do |db|
              next false if parent && !removed?(db, id, about)

              check_parent(db, parent)
              table = WorkflowTable.create(db, id, about, parent)
              next false unless table

              nodes.each_with_index { |spec, index| add(table, spec, index) }
              table.record.pending = nodes.size
              drafts.each { |draft| table.enqueue(draft) }
              @workflow_counter.open(db, table)
              true
            end
          end

          def workflow(id)
            @database.read do |db|
              row = db.rows(ONE, id).first or next
              nodes = db.rows(WorkflowTable::ALL, id).map { |one| WorkflowTable.node(one).to_h }
              to_h(row).merge("nodes" => nodes)
            end
          end

          def workflows(offset: 0, limit: 50)
            @database.read { |db| db.rows(NEWEST, limit, offset) }.map { |row| to_h(row) }
          end

          def workflow_counts(most: 1000)
            @database.read { |db| db.rows(COUNTS, most) }.to_h
          end

          def workflow_result(id, name)
            @database.read do |db|
              kind, result = db.rows(RESULT, id, name).first
              next text(result) unless kind == "each"

              "[#{db.rows(RESULTS, id, name).map { |row| text(row[0]) || "null" }.join(",")}]"
            end
          end

          def cancel_workflow(id, reason)
            @database.write do |db|
              cancelled = @workflow_counter.change(db, id) { |one| one.cancel(reason) }
              @cleanup.ended(db, db.rows(DROP, id), :dead) if cancelled
              table = WorkflowTable.load(db, id)
              active(table) if table&.record&.open?
            end
          end

          def retry_workflow(id, name)
            @database.write do |db|
              restarted = @workflow_counter.change(db, id) { |one| one.restart(name) || true }
              raise Error, Store::Workflows.missing(id) unless restarted
            end
            nil
          end

          def undo_workflow(id, reason)
            @database.write do |db|
              found = @workflow_counter.change(db, id) { |one| one.undo(reason) || true }
              !found.nil?
            end
          end

          private

          def check_parent(db, parent)
            return if parent.nil? || WorkflowTable.load(db, parent.first)&.record&.running?

            raise Error, "workflow #{parent.first} is not running: it gets no sub-workflow"
          end

          # Whether there is none with this id, or not any more.
          def removed?(db, id, about)
            record = WorkflowTable.load(db, id)&.record or return true
            record.about = JSON.parse(record.about)
            return false unless Store::Workflow::Record.replaceable?(record, about)

            WorkflowTable.delete(db, id)
          end

          def add(table, spec, index)
            node = Store::Workflow::Node.of(spec["name"], spec["kind"], spec.except("name", "kind"),
              position: index)
            node.missing = node.predecessors.size
            table.add(node, [])
            table.depend(node)
          end

          def active(table)
            active = table.nodes.select { |node| node.active? && !node.each? && !node.undo? }
            flows, jobs = active.partition { |node| node.kind == "flow" }
            {"running" => jobs.map(&:jid), "flows" => flows.map(&:name)}
          end

          def to_h(row)
            record = Store::Workflow::Record.new(*row).to_h
            record.merge("about" => JSON.parse(record["about"]))
          end

          # Databases return bytes.
          def text(result) = result&.dup&.force_encoding(Encoding::UTF_8)
        end
      end
    end
  end
end
