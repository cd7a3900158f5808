# frozen_string_literal: true

module Raffia
  class Actor
    # Something that the system has to say.
    #
    # @api private
    class Event < Message
      def initialize(cell, block)
        super(cell, :event, nil, nil, block, nil, nil, nil)
      end

      def invoke(_subject) = @block.call
    end
  end
end
