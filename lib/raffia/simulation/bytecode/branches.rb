# frozen_string_literal: true

module Raffia
  module Simulation
    class Bytecode
      # The places where CRuby looks for interrupts without a call: taken branches.
      #
      # TracePoint has no event for them. A line event right after the branch stands for it, because
      # nothing runs between the two.
      # @api private
      class Branches
        # @param instructions [Instructions]
        def initialize(instructions)
          @instructions = instructions
        end

        # Lines whose event follows a backward branch: each round of a `while` or `until` passes
        # one. Where the loop's first statement has no event, its next one stands in.
        def loop_lines
          backward.flat_map { |branch| events_in(branch) }.uniq.sort
        end

        # Lines of loops that have no line event and call nothing, such as `until @done; end` or
        # `i += 1 while i < 8`. No TracePoint sees their rounds.
        def silent_loops
          backward.select { |branch| events_in(branch).empty? && callless?(branch) }
            .map { |branch| @instructions.lines[branch.to] }.uniq.sort
        end

        # Lines whose event is reached over taken branches only, forward or backward.
        def branch_lines
          entered = reachable.each_key.flat_map { |index| @instructions.targets(index) }
          (@instructions.line_events & entered).reject { |index| fallen_into?(index) }
            .map { |index| @instructions.lines[index] }.uniq.sort
        end

        private

        def backward
          @backward ||= @instructions.branches.select do |branch|
            branch.backward? && reachable.key?(branch.from)
          end
        end

        # The compiler leaves instructions behind a loop that nothing reaches.
        def reachable
          @reachable ||= @instructions.size.zero? ? {} : @instructions.walk(0) { true }
        end

        def fallen_into?(index)
          index.zero? || (reachable.key?(index - 1) && @instructions.falls_through?(index - 1))
        end

        def events_in(branch)
          @instructions
            .walk(branch.to) { |at| inside?(branch, at) && !@instructions.line_event?(at) }.keys
            .select { |index| inside?(branch, index) && @instructions.line_event?(index) }
            .map { |index| @instructions.lines[index] }
        end

        def callless?(branch)
          (branch.to..branch.from).none? { |index| @instructions.calls?(index) }
        end

        def inside?(branch, index) = index.between?(branch.to, branch.from)
      end
    end
  end
end
