# frozen_string_literal: true

module Raffia
  class Actor
    module Remote
      # One request of a {Stub} to its object, and what follows from the reply.
      class StubCall
        # Key in the fiber's storage: the request runs while the object itself waits.
        REENTRANT = :raffia_actor_reentrant

        # The core's executor waits for this.
        class PendingReply < Waiter
          # Whether it failed by the caller's own fault.
          attr_reader :refused
          alias_method :refused?, :refused

          def initialize(message)
            super()
            @message = message
          end

          def refuse(error)
            @refused = true
            self.fail(error)
          end

          # The message is answered later, and the actor goes on. Returns for that answer.
          def postpone
            answer = @message.postpone
            settle
            answer
          end
        end
        private_constant :PendingReply

        # Raises an error that is the caller's alone.
        def self.refuse(error)
          raise Message.current.refusal = error
        end

        def initialize(connection, dispatcher, ref)
          @connection = connection
          @dispatcher = dispatcher
          @ref = ref
          @message = Message.current
          @reply = PendingReply.new(@message)
        end

        # Sends the request and waits. When this is interrupted, the other side may go on with it.
        def run(op, *arguments)
          op, *arguments = :reenter, op, *arguments if Fiber[REENTRANT]
          number = send_request(op, arguments)
          @reply.wait
        rescue Exception => error # standard:disable Lint/RescueException
          @connection.forget(number) if number
          StubCall.refuse(error) if @reply.refused?
          raise
        ensure
          @dispatcher.forget(number) if number
        end

        private

        def send_request(op, arguments)
          noted = nil
          @connection.post(@reply, @ref, op, *arguments, breakable: true) do |number|
            @dispatcher.remember(noted = number, @message)
          end
        rescue NotDumpable => error
          @dispatcher.forget(noted)
          @reply.refuse(error)
          raise
        end
      end
    end
  end
end
