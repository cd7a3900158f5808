# frozen_string_literal: true

require_relative "wait_graph"

module Raffia
  module Simulation
    # The text of a deadlock: which thread or fiber waits for what and where, those in a cycle first.
    #
    # @api private
    class WaitReport
      def initialize(world)
        @graph = WaitGraph.new(world)
      end

      def to_s
        cycle = @graph.cycle
        others = @graph.required.reject { |wait| cycle.include?(wait) }
        parts = {"in a cycle" => cycle, "waiting" => others}.reject { |_, waits| waits.empty? }
        "no thread can ever continue:#{parts.map { |title, waits| part(title, waits) }.join}"
      end

      # What the threads wait for that are left at the end of a run: thread => text.
      def left
        @graph.waits.group_by(&:thread).transform_values { |waits| waits.join("\n") }
          .compare_by_identity
      end

      private

      def part(title, waits) = "\n  #{title}:\n#{waits.join("\n")}"
    end
  end
end
