# frozen_string_literal: true

module Raffia
  class Actor
    # The block of a timer, which its actor works on like any message. It waits in the mailbox once
    # at most.
    #
    # @api private
    class Tick < Message
      def initialize(cell, timer, block)
        super(cell, :timer, nil, nil, block, nil, nil, nil)
        @timer = timer
        @waits_its_turn = false
      end

      # @return [Boolean] whether the last one has not been worked on
      def waits? = @waits_its_turn

      # @return [self]
      def wait
        @waits_its_turn = true
        self
      end

      def kept? = true

      def unwanted? = @timer.cancelled?

      def invoke(subject)
        @waits_its_turn = false
        subject.instance_exec(&@block)
      end
    end
  end
end
