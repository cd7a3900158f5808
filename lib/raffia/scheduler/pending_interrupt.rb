# frozen_string_literal: true

module Raffia
  class Scheduler
    # An exception on its way to a fiber. It goes through the engine like every completion, so it
    # arrives in order.
    #
    # @api private
    class PendingInterrupt
      # @return [Fiber]
      attr_reader :fiber
      # @return [Exception]
      attr_reader :error

      def initialize(interrupts, fiber, error)
        @interrupts = interrupts
        @fiber = fiber
        @error = error
        @wait = nil
        @withdrawn = false
      end

      def withdrawn? = @withdrawn

      # Drops it, unless it has been raised already.
      def withdraw = @withdrawn = true

      # Called by the loop, and again when an interrupt of the thread came in between.
      # @return [Object, nil] the wait that it ends
      def complete(_result)
        return if @withdrawn

        @wait ||= @interrupts.raise_in_fiber(self)
      end
    end
  end
end
