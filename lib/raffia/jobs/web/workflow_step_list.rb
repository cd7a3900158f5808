# frozen_string_literal: true

module Raffia
  module Jobs
    class Web
      # Steps of a workflow as they are drawn: each with its elements, and the state of its undo.
      # Many jobs that wait for the same steps, and that the same steps wait for, are one.
      # @api private
      class WorkflowStepList
        # So many jobs that are alike are drawn one by one.
        ALIKE = 5
        # States by their weight for people.
        STATES = %w[dead active waiting cancelled skipped done].freeze
        private_constant :ALIKE, :STATES

        # `names`: of the steps that it stands for; `elements`, `ended`: their number, and how many
        # have ended; `undo`: state of the undo, nil: it has none.
        Step = Data.define(:names, :label, :state, :after, :elements, :ended, :undo)

        include Enumerable

        def initialize(nodes)
          undos, steps = nodes.partition { |node| node["kind"] == "undo" }
          @undos = undos.to_h { |node| [node["name"], node["state"]] }
          @children = steps.group_by { |node| node["parent"] }
          @nodes = @children[nil] || []
          @dependants = dependants
        end

        def each(&)
          @nodes.group_by { |node| key(node) }.each_value do |alike|
            (alike.size > ALIKE) ? yield(fold(alike)) : alike.each { |node| yield step(node) }
          end
        end

        private

        def dependants
          @nodes.each_with_object(Hash.new { |all, name| all[name] = [] }) do |node, found|
            node["after"].each { |name| found[name] << node["name"] }
          end
        end

        # Jobs with equal keys are alike.
        def key(node)
          return [node["name"]] unless node["kind"] == "job"

          [node["after"].sort, @dependants[node["name"]]]
        end

        def step(node)
          children = @children[node["name"]] || []
          Step.new(names: [node["name"]], label: node["name"], state: node["state"],
            after: node["after"], elements: children.size, ended: ended(children),
            undo: @undos[Store::Workflow::Record.undo(node["name"])])
        end

        def fold(nodes)
          states = nodes.map { |node| node["state"] }
          Step.new(names: nodes.map { |node| node["name"] }, after: nodes.first["after"],
            label: "#{nodes.first["name"]} + #{nodes.size - 1} more",
            state: STATES.find { |state| states.include?(state) } || states.first,
            elements: nodes.size, ended: ended(nodes), undo: nil)
        end

        def ended(nodes) = nodes.count { |node| !%w[waiting active].include?(node["state"]) }
      end
    end
  end
end
