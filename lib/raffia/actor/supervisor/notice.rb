# frozen_string_literal: true

module Raffia
  class Supervisor
    # What a supervisor is to know of its children. It is work of its like any other, but comes
    # before what waits.
    #
    # @api private
    class Notice < Actor::Message
      # @param cell [Cell] the supervisor's
      # @param name [Symbol] of a private method
      def initialize(cell, name, *arguments)
        super(cell, name, arguments, nil, nil, nil, nil, nil)
      end

      def invoke(subject) = subject.__send__(name, *arguments)
    end
  end
end
