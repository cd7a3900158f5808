# frozen_string_literal: true

module Raffia
  class Actor
    module Remote
      # The answer to a request of the other side. It is given once, from any thread.
      class Reply
        attr_reader :number

        # The message that it answers, if an actor of this side handles it.
        attr_accessor :message

        def initialize(connection, number)
          @connection = connection
          @number = number
          @lock = SpinLock.new
          @given = @forgotten = false
        end

        def awaited_by(message) = @parent = message

        def settle(value = nil) = once { @connection.answer(@number, value) }

        def fail(error) = once { @connection.fail(@number, error) }

        # Fails the asker alone: the actor goes on.
        def refuse(error) = once { @connection.refuse(@number, error) }

        # The answer comes later, and the asker goes on.
        def postpone = @connection.postpone(@number)

        def forget = @forgotten = true

        def forgotten? = @forgotten

        def settled? = @given || @forgotten

        private

        def once
          @lock.hold { @given ? (return false) : @given = true }
          @parent&.rest
          yield
          true
        end
      end
    end
  end
end
