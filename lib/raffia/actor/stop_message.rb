# frozen_string_literal: true

module Raffia
  class Actor
    # The last message of an actor's object.
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
