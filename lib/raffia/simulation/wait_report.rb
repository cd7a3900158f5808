# frozen_string_literal: true

require_relative "wait_graph"

module Raffia
  module Simulation
    # The text of a deadlock: which thread or fiber waits for what and where, those in a cycle
    # first.
    #
    # @api private
    class WaitReport
      # `waits`: thread => text; `deadlock`: a text, or nil.
      Snapshot = ::Data.define(:waits, :deadlock)

      def initialize(world)
        @world = world
        @graph = WaitGraph.new(world)
      end

      def to_s
        cycle = @graph.cycle
        others = @graph.required.reject { |wait| cycle.include?(wait) }
        parts = {"in a cycle" => cycle, "waiting" => others}.reject { |_, waits| waits.empty? }
        parts.map { |title, waits| part(title, waits) }.join + errors
      end

      # Whether threads wait for each other without a limit.
      def cycle? = @graph.cycle.then { |cycle| cycle.any? && cycle.none?(&:limit) }

      # For threads that are left at the end of a run, and end then: a text of the cycle they are
      # in, if any, and of the waits of each.
      def snapshot
        waits = @graph.waits.group_by(&:thread).transform_values { |one| one.join("\n") }
        Snapshot.new(waits.compare_by_identity, (to_s if cycle?))
      end

      private

      # The reason, perhaps: a thread that would have woken another one ended with an error.
      def errors
        failed = @world.threads.select(&:unjoined)
        return "" if failed.empty?

        lines = failed.map do |thread|
          error = thread.error
          "    #{thread.label}: #{error.class}: #{error.message} (#{error.backtrace&.first})"
        end
        part("ended with an error", lines)
      end

      def part(title, waits) = "\n  #{title}:\n#{waits.join("\n")}"
    end
  end
end
