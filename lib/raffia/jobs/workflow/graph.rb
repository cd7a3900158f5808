# frozen_string_literal: true

module Raffia
  module Jobs
    module Workflow
      # Steps by name, and what they wait for. Finds errors before anything is stored.
      # @api private
      class Graph
        def initialize(id)
          @id = id
          @nodes = {}
          @groups = {}
          @open = []
        end

        # Raises {ConfigError} for a name that is there already.
        def add(name, kind, node, after)
          check_name(name)
          after = [*after, *@open.flat_map(&:last)].map(&:to_s)
          refers = node.delete("refers") || []
          @nodes[name] = {"name" => name, "kind" => kind, **node, "after" => after | refers}
          @open.each { |group, _| @groups[group] << name }
        end

        def group(name, after)
          check_name(name)
          @groups[name] = []
          @open.push([name, [*after]])
          yield
          nil
        ensure
          @open.pop if @open.last&.first == name
        end

        # Nodes as {Store::Workflows#open_workflow} takes them. Raises {ConfigError}.
        def nodes
          raise ConfigError, "workflow #{@id} has no steps" if @nodes.empty?

          nodes = @nodes.values.map { |node| {**node, "after" => expand(node)} }
          check_names(nodes)
          check_cycles(nodes)
          nodes
        end

        private

        def check_name(name)
          return unless @nodes.key?(name) || @groups.key?(name)

          raise ConfigError, "workflow #{@id} has a step #{name} already: give this one another name"
        end

        def expand(node) = node["after"].flat_map { |name| @groups[name] || [name] }.uniq

        def predecessors(node) = [*node["after"], *node["from"]].uniq

        def check_names(nodes)
          nodes.each do |node|
            unknown = predecessors(node).find { |name| !@nodes.key?(name) } or next
            raise ConfigError, "step #{node["name"]} of workflow #{@id} waits for #{unknown}, " \
              "which is no step: there are #{@nodes.keys.join(", ")}"
          end
        end

        def check_cycles(nodes)
          left = nodes.to_h { |node| [node["name"], predecessors(node)] }
          while (free = left.select { |_, names| names.none? { |name| left.key?(name) } }).any?
            left = left.except(*free.keys)
          end
          return if left.empty?

          raise ConfigError, "the steps #{cycle(left).join(" -> ")} of workflow #{@id} wait for " \
            "each other: none of them would begin"
        end

        # Each remaining step waits for another one.
        def cycle(left)
          path = [left.keys.first]
          until path.index(path.last) < path.size - 1
            path << left[path.last].find { |name| left.key?(name) }
          end
          path.drop(path.index(path.last)).reverse
        end
      end
    end
  end
end
