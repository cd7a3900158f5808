# frozen_string_literal: true

module Raffia
  class Actor
    module Remote
      # What the other side waits for. It can be given once, from any thread.
      #
      # @api private
      class Answer
        # @return [Integer] of the question
        attr_reader :number

        # @return [Message, nil] which it is to answer, if that is an actor's of this side
        attr_accessor :message

        def initialize(line, number)
          @line = line
          @number = number
          @guard = SpinLock.new
          @given = @forgotten = false
        end

        # @param message [Message] that waits for it
        # @return [void]
        def awaited_by(message) = @parent = message

        # @return [Boolean] whether it was the first
        def settle(value = nil) = once { @line.answer(@number, value) }

        # @return [Boolean]
        def fail(error) = once { @line.fail(@number, error) }

        # With an error that is the other side's alone.
        # @return [Boolean]
        def refuse(error) = once { @line.refuse(@number, error) }

        # It will come, but the other side need not wait for it.
        # @return [void]
        def postpone = @line.postpone(@number)

        # Nobody wants it any more.
        # @return [void]
        def forget = @forgotten = true

        def forgotten? = @forgotten

        def settled? = @given || @forgotten

        private

        def once
          @guard.hold { @given ? (return false) : @given = true }
          @parent&.rest
          yield
          true
        end
      end
    end
  end
end
