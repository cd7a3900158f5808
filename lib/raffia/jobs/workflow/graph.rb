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
          check_lists(nodes)
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

        def check_lists(nodes)
          nodes.each do |node|
            next unless @nodes[node["from"]]&.fetch("kind") == "flow"

            raise ConfigError, "step #{node["name"]} of workflow #{@id} is from #{node["from"]}, " \
              "a workflow, which has no result: take that of a job"
          end
        end

        def check_cycles(nodes)
          left = nodes.to_h { |node| [node["name"], predecessors(node)] }
          missing = left.transform_values(&:size)
          dependants = dependants_of(left)
          free = left.keys.select { |name| missing[name].zero? }
          while (name = free.shift)
            left.delete(name)
            dependants[name]&.each { |one| free << one if (missing[one] -= 1).zero? }
          end
          return if left.empty?

          raise ConfigError, "the steps #{cycle(left).join(" -> ")} of workflow #{@id} wait for " \
            "each other: none of them would begin"
        end

        def dependants_of(predecessors)
          predecessors.each_with_object({}) do |(name, before), found|
            before.each { |one| (found[one] ||= []) << name }
          end
        end

        # Each remaining step waits for another one.
        def cycle(left)
          places = {}
          name = left.keys.first
          until places.key?(name)
            places[name] = places.size
            name = left[name].find { |one| left.key?(one) }
          end
          [*places.keys.drop(places[name]), name].reverse
        end
      end
    end
  end
end
