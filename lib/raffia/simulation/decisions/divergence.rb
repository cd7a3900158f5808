# frozen_string_literal: true

module Raffia
  module Simulation
    class Decisions
      # The first choice of a replay that does not fit its schedule, with both sides.
      #
      # @api private
      class Divergence
        ADVICE = "The program, the Ruby or the options have changed since it was recorded; " \
          "loose: true goes on from here with default choices"
        private_constant :ADVICE

        # +position+: index of the choice; +print+ and +expected+: its fingerprint in this run and
        # in the schedule; +candidates+: threads and timers of this choice, nil for a value.
        def initialize(position, choices, expected, count, print, candidates)
          @position = position
          @choices = choices
          @expected = expected
          @count = count
          @print = print
          @candidates = candidates
        end

        def error
          Diverged.new("the run differs from its schedule at choice #{@position + 1} of " \
            "#{@choices.size}. Recorded: #{recorded}. Now: #{now}. #{ADVICE}")
        end

        private

        def recorded
          return "the run ended before" unless @expected

          "number #{@choices[@position] + 1}, fingerprint #{hexadecimal(@expected)}"
        end

        def now = "one of #{what}, fingerprint #{hexadecimal(@print)}"

        def what
          return "#{@count} values" unless @candidates

          @candidates.first(8).map { |one| one.is_a?(SimulatedThread) ? one.label : "a timer" }
            .join(", ")
        end

        def hexadecimal(print) = format("%04x", print)
      end
    end
  end
end
