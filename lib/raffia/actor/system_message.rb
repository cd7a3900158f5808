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
  end
end
