# frozen_string_literal: true

module Raffia
  class Scheduler
    # A transfer that the kernel is doing. It is over when the kernel says so, which may be several waits of the fiber later.
    #
    # @api private
    class Passage
      # @return [Wait] the wait that it ends
      attr_accessor :wait

      def initialize(wait)
        @wait = wait
        @over = false
      end

      def over? = @over

      # Called by the loop, like {Wait#complete}.
      # @return [Fiber, nil]
      def complete(result)
        @over = true
        @wait.complete(result)
      end
    end
  end
end
