# frozen_string_literal: true

module Raffia
  class Actor
    module Remote
      # How a {Stub} asks, and what becomes of the answer.
      #
      # @api private
      module Conversation
        REENTRANT = :raffia_actor_reentrant

        # Whoever works for the core waits for this.
        class Reply < Waiter
          # @return [Boolean] whether it failed by the caller's own fault
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

          # The message will be answered later, and the actor goes on.
          # @return [#settle, #fail, nil] who waits for that
          def postpone
            final = @message.postpone
            settle
            final || Unwanted
          end
        end

        # An answer that nobody wants.
        module Unwanted
          def self.settle(_value = nil) = false
          def self.fail(_error) = false
        end

        private

        # Whoever is interrupted does not want the answer any more; over there it may still be
        # worked on.
        def converse(op, *arguments)
          reply = Reply.new(message = Message.current)
          op, *arguments = :reenter, op, *arguments if Fiber[REENTRANT]
          number = send_off(reply, message, op, arguments)
          reply.wait
        rescue Exception => error # standard:disable Lint/RescueException
          @line.forget(number) if number
          own_fault(error) if reply.refused?
          raise
        ensure
          @desk.forget(number) if number
        end

        def send_off(reply, message, op, arguments)
          noted = nil
          @line.post(reply, @core.ref, op, *arguments, breakable: true) do |number|
            @desk.remember(noted = number, message)
          end
        rescue NotDumpable => error
          @desk.forget(noted)
          reply.refuse(error)
          raise
        end

        # An error that is the caller's alone.
        def own_fault(error)
          raise Message.current.refusal = error
        end
      end
    end
  end
end
