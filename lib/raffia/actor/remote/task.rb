# frozen_string_literal: true

module Raffia
  class Actor
    module Remote
      # A message on its way through the object, where that lives.
      #
      # @api private
      class Task < Message
        # @return [Integer] the number of the question that it is
        attr_reader :number

        def initialize(number, core, name, arguments, keywords, answer, deadline)
          super(core, name, arguments, keywords, nil, answer, deadline, nil)
          @number = number
        end

        # @return [Integer, nil] of the one that waits for what the running code does
        def self.number
          Message.current&.then { |message| WaitGraph.chain(message).grep(Task).first&.number }
        end

        # @return [Answer]
        def postpone
          @postponed = true
          @reply.postpone
          @reply
        end
      end
    end
  end
end
