# frozen_string_literal: true

module Raffia
  module Simulation
    # The error that a test framework gets for a run that failed.
    #
    # @api private
    class TestFailure
      SIMULATION = "#{__dir__}/".freeze
      private_constant :SIMULATION

      # +only+: arguments of the command that select the test.
      def initialize(failure, only)
        @failure = failure
        @only = only
      end

      # A copy of an assertion's error, with the seed and the schedule after its message; for other
      # errors a {Failed} at their place. +assertions+: the framework's class.
      def error(assertions)
        cause = @failure.error
        return copy(cause) if cause.is_a?(assertions)

        Failed.new(text).tap { |failed| failed.set_backtrace(backtrace(cause)) }
      end

      # The failure, for a reader.
      def text = [@failure.summary, *details].join("\n\n")

      private

      def copy(assertion)
        text = [assertion.message, @failure.title, *details].join("\n\n")
        assertion.exception(text).tap { |error| error.set_backtrace(backtrace(assertion)) }
      end

      # Without the lines of the simulation, unless there are no others.
      def backtrace(error)
        lines = error.backtrace.to_a.reject { |line| line.start_with?(SIMULATION) }
        lines.empty? ? error.backtrace : lines
      end

      # RAFFIA_SCHEDULE would apply to the other tests of the command as well.
      def details
        commands = @failure.instructions.map do |lines|
          lines.gsub(/^  RAFFIA_.*/) { |line| line.end_with?(@only) ? line : "#{line} #{@only}" }
        end
        [@failure.timeline, *commands].reject(&:empty?)
      end
    end
  end
end
