# frozen_string_literal: true

module Raffia
  class Actor
    # What a sender waits for whose message finds a full mailbox: not its answer, only its place.
    #
    # @api private
    class Room < Message
      # @param message [Message]
      # @param waiter [Waiter] who is settled when it has its place
      def initialize(message, waiter)
        super(message.cell, message.name, nil, nil, nil, waiter, nil, nil)
      end

      def inspect = "room for #{super}"
    end
  end
end
