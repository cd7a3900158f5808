# frozen_string_literal: true

require_relative "rows_statement"

module Raffia
  module Jobs
    module Stores
      class SQL < Store
        # Nodes of one workflow in a transaction, see {Store::Workflow::Transition}. The workflow's
        # row is locked, so its nodes need no locks.
        # @api private
        class WorkflowTable
          FIELDS = "state, pending, dead, ended, reason, created_at, completed_at, about, " \
            "parent, parent_node"
          LOCK = "SELECT id, #{FIELDS} FROM {workflows} WHERE id = $1 {lock}".freeze
          ADD = "INSERT INTO {workflows} (id, number, #{FIELDS}) " \
            "VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12) {ignore id}".freeze
          SAVE = "UPDATE {workflows} SET state = $2, pending = $3, dead = $4, ended = $5, " \
            "reason = $6, completed_at = $7 WHERE id = $1"
          NODE = "name, kind, state, missing, bad, spec, jid, result, error, ended, parent, " \
            "position"
          SELECT = "SELECT #{NODE} FROM {workflow_nodes} WHERE workflow = $1".freeze
          ONE = "#{SELECT} AND name = $2".freeze
          SOME = "#{SELECT} AND name {names $2}".freeze
          ALL = "#{SELECT} ORDER BY position, name".freeze
          CHILDREN = "#{SELECT} AND parent = $2 ORDER BY position".freeze
          NODES = ["INSERT INTO {workflow_nodes} (workflow, #{NODE})",
            "($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)"].freeze
          ADD_NODES = RowsStatement.new(*NODES)
          CHANGED = %w[state missing bad jid result error ended].freeze
          # The rows are there.
          SAVE_NODES = RowsStatement.new(*NODES, "{upsert workflow,name} " +
            CHANGED.map { |name| "#{name} = {excluded #{name}}" }.join(", "))
          # Nodes from which on they are saved together.
          MANY = 10
          SAVE_NODE = "UPDATE {workflow_nodes} SET state = $3, missing = $4, bad = $5, jid = $6, " \
            "result = $7, error = $8, ended = $9 WHERE workflow = $1 AND name = $2"
          REMOVE = "DELETE FROM {workflow_nodes} WHERE workflow = $1 AND parent = $2"
          DEPENDANTS = "SELECT to_node FROM {workflow_edges} WHERE workflow = $1 " \
            "AND from_node = $2 ORDER BY to_node"
          ADD_EDGE = "INSERT INTO {workflow_edges} (workflow, from_node, to_node) " \
            "VALUES ($1, $2, $3)"

          # Nil: there is no such workflow.
          def self.load(db, id)
            row = db.rows(LOCK, id).first or return
            new(db, Store::Workflow::Record.new(*row))
          end

          COMPLETED_AT = "SELECT completed_at FROM {workflows} WHERE id = $1"
          DELETE = ["DELETE FROM {workflow_nodes} WHERE workflow = $1",
            "DELETE FROM {workflow_edges} WHERE workflow = $1",
            "DELETE FROM {workflows} WHERE id = $1"].freeze

          def self.delete(db, id) = DELETE.each { |sql| db.run(sql, id) }

          # Nil: there is one with this id.
          def self.create(db, id, about, parent)
            record = Store::Workflow::Record.of(id, JSON.generate(about), parent)
            return unless db.run(ADD, id, db.numbers(1).first, *record.to_a.drop(1)) == 1

            new(db, record)
          end

          def self.node(row) = Store::Workflow::Node.new(*row)

          attr_reader :record, :drafts

          def initialize(db, record)
            @db = db
            @record = record
            @nodes = {}
            @new = []
            @changed = {}
            @drafts = []
          end

          def node(name) = @nodes[name] ||= read(ONE, name).first

          # Reads nodes in one query.
          def prepare(names) = read(SOME, names).each { |node| @nodes[node.name] ||= node }

          def nodes = merge(read(ALL))

          def children(name)
            merge(read(CHILDREN, name)).select { |node| node.parent == name }.sort_by(&:position)
          end

          def dependants(name)
            parent = node(name)&.parent
            parent ? [parent] : @db.rows(DEPENDANTS, @record.id, name).flatten
          end

          def add(node, dependants)
            @nodes[node.name] = node
            @new << node
            dependants.each { |name| @db.run(ADD_EDGE, @record.id, node.name, name) }
          end

          # Adds the edges from a node's predecessors.
          def depend(node)
            node.predecessors.each { |name| @db.run(ADD_EDGE, @record.id, name, node.name) }
          end

          def remove_children(name)
            [@nodes, @changed].each { |all| all.delete_if { |_, node| node.parent == name } }
            @db.run(REMOVE, @record.id, name)
          end

          def changed(node)
            @changed[node.name] = node
          end

          def flow_open?(name)
            @db.rows(COMPLETED_AT, "#{@record.id}.#{name}") == [[nil]]
          end

          def enqueue(draft) = @drafts << draft

          def save
            record = @record
            @db.run(SAVE, record.id, record.state, record.pending, record.dead, record.ended,
              record.reason, record.completed_at)
            ADD_NODES.run(@db, @new.map { |node| [record.id, *node.to_a] })
            changed = @changed.except(*@new.map(&:name)).values
            (changed.size < MANY) ? changed.each { |node| save_node(node) } : save_nodes(changed)
          end

          private

          # Nodes that were read or added before have the present state.
          def merge(read)
            read.each { |node| @nodes[node.name] ||= node }
            [*read.map(&:name), *@new.map(&:name)].uniq.map { |name| @nodes[name] }
          end

          def read(sql, *params)
            @db.rows(sql, @record.id, *params).map { |row| WorkflowTable.node(row) }
          end

          # Their specs do not change, and are not sent again.
          def save_nodes(nodes)
            rows = nodes.map { |node| [@record.id, *node.dup.tap { |one| one.spec = "" }] }
            SAVE_NODES.run(@db, rows)
          end

          def save_node(node)
            @db.run(SAVE_NODE, @record.id, node.name, node.state, node.missing, node.bad, node.jid,
              node.result, node.error, node.ended)
          end
        end
      end
    end
  end
end
