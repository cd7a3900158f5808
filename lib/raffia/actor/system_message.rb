# frozen_string_literal: true

module Raffia
  class Actor
    # A block that the system runs as work of an actor.
    #
    # @api private
    class SystemMessage < Message
      def initialize(core, block)
        super(core, :event, nil, nil, block, nil, nil, nil)
      end

      def invoke(_object) = @block.call
    end

    # Calls a private method of a supervisor or of a pool's manager.
    #
    # @api private
    class ControlMessage < Message
      def initialize(core, name, *arguments, reply: nil)
        super(core, name, arguments, nil, nil, reply, nil, nil)
      end

      def invoke(object) = object.__send__(name, *arguments)
    end

    # The last message of an actor's object. After a final one no other object follows.
    #
    # @api private
    class StopMessage < Message
      attr_reader :reason

      def initialize(core, reason, final)
        super(core, :stop, nil, nil, nil, nil, nil, nil)
        @reason = reason
        @final = final
      end

      def droppable? = false

      def final? = @final
    end
  end
end
