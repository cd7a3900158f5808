# frozen_string_literal: true

module Raffia
  class Actor
    # The block of a timer. It is in the mailbox once at most.
    #
    # @api private
    class TimerMessage < Message
      def initialize(core, timer, block)
        super(core, :timer, nil, nil, block, nil, nil, nil)
        @timer = timer
        @queued = false
      end

      def queued? = @queued

      def enqueue
        @queued = true
        self
      end

      def droppable? = false

      def unwanted? = @timer.cancelled?

      def invoke(object)
        @queued = false
        object.instance_exec(&@block)
      end
    end
  end
end
