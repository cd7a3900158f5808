# frozen_string_literal: true

module Raffia
  class Actor
    module Remote
      # One request of a {Stub} to its object: the core's executor waits for the reply.
      class StubCall < Waiter
        # Key in the fiber's storage: the request runs while the object itself waits.
        REENTRANT = :raffia_actor_reentrant

        # Raises an error that is the caller's alone.
        def self.refuse(error)
          raise Message.current.refusal = error
        end

        def initialize(connection, dispatcher, ref)
          super()
          @connection = connection
          @dispatcher = dispatcher
          @ref = ref
          @message = Message.current
        end

        # Sends the request and waits. When this is interrupted, the other side may go on with it.
        def run(op, *arguments)
          op, *arguments = :reenter, op, *arguments if Fiber[REENTRANT]
          number = send_request(op, arguments)
          wait
        rescue Exception => error # standard:disable Lint/RescueException
          @connection.forget(number) if number
          StubCall.refuse(error) if @refused
          raise
        ensure
          @dispatcher.forget(number) if number
        end

        def refuse(error)
          @refused = true
          self.fail(error)
        end

        # The message is answered later, and the actor goes on. Returns the {Answer}.
        def postpone
          answer = @message.postpone
          settle
          answer
        end

        private

        def send_request(op, arguments)
          noted = nil
          @connection.post(self, @ref, op, *arguments, breakable: true) do |number|
            @dispatcher.remember(noted = number, @message)
          end
        rescue NotDumpable => error
          @dispatcher.forget(noted)
          refuse(error)
          raise
        end
      end
    end
  end
end
