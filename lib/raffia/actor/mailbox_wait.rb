# frozen_string_literal: true

module Raffia
  class Actor
    # Stands for a message whose sender waits for room in a full mailbox, not for an answer.
    #
    # @api private
    class MailboxWait < Message
      def initialize(message, waiter)
        super(message.core, message.name, nil, nil, nil, waiter, nil, nil)
      end

      def inspect = "room for #{super}"
    end
  end
end
