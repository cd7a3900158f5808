# frozen_string_literal: true

module Raffia
  module Simulation
    # The error that a test framework gets for a run that failed.
    #
    # @api private
    class TestFailure
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

        Failed.new(text).tap { |failed| failed.set_backtrace(cause.backtrace) }
      end

      private

      def copy(assertion)
        text = [assertion.message, "run #{@failure.run} failed with seed #{@failure.seed}",
          *details].join("\n\n")
        assertion.exception(text).tap { |error| error.set_backtrace(assertion.backtrace) }
      end

      def text = [@failure.summary, *details].join("\n\n")

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
