# frozen_string_literal: true

module Raffia
  module Jobs
    module Stores
      class Memory < Store
        # Nodes of one workflow, see {Store::Workflow::Transition}.
        # @api private
        class WorkflowTable
          attr_reader :record
          # Drafts that unique jobs keep out.
          attr_reader :rejected

          # The block says whether a workflow of this id has not ended.
          def initialize(id, nodes, about, parent, admit, &open)
            @record = Store::Workflow::Record.of(id, about, parent)
            @admit = admit
            @open = open
            @rejected = []
            @nodes = {}
            @dependants = Hash.new { |all, name| all[name] = [] }
            nodes.each { |spec| add_node(spec) }
            @record.pending = @nodes.size
          end

          def node(name) = @nodes[name]

          def nodes = @nodes.values

          def children(name)
            @nodes.each_value.select { |node| node.parent == name }.sort_by(&:position)
          end

          def dependants(name)
            parent = @nodes[name]&.parent
            return [parent] if parent

            @dependants.key?(name) ? @dependants[name].sort : []
          end

          def add(node, dependants)
            @nodes[node.name] = node
            @dependants[node.name].concat(dependants) if dependants.any?
          end

          def remove_children(name)
            children(name).each { |child| @nodes.delete(child.name) }
          end

          def flow_open?(name) = @open.call("#{@record.id}.#{name}")

          def changed(_node) = nil

          def enqueue(draft) = @admit.call(draft) || @rejected << draft

          private

          def add_node(spec)
            node = Store::Workflow::Node.of(spec["name"], spec["kind"], spec.except("name", "kind"),
              position: @nodes.size)
            node.missing = node.predecessors.size
            @nodes[node.name] = node
            node.predecessors.each { |name| @dependants[name] << node.name }
          end
        end
      end
    end
  end
end
