# frozen_string_literal: true

module Raffia
  class Scheduler
    # An exception on its way to a fiber. It goes through the engine like every completion, so it
    # comes in order.
    #
    # @api private
    class Notice
      # @return [Fiber]
      attr_reader :fiber
      # @return [Exception]
      attr_reader :error

      def initialize(scheduler, fiber, error)
        @scheduler = scheduler
        @fiber = fiber
        @error = error
        @wait = nil
        @withdrawn = false
      end

      def withdrawn? = @withdrawn

      # It is not wanted any more; when it has been raised already, nothing changes.
      def withdraw = @withdrawn = true

      # Called by the loop; again when an interrupt of the thread came in between.
      # @return [Object, nil] the wait that it ends
      def complete(_result)
        return if @withdrawn

        @wait ||= @scheduler.strike(self)
      end
    end
  end
end
