# frozen_string_literal: true

module Raffia
  class Actor
    module Remote
      # Dispatches the requests of a {Stub}'s object to its core.
      class StubDispatcher < RequestDispatcher
        def initialize(core, stub)
          super()
          @core = core
          @stub = stub
          @lock = SpinLock.new
          @messages = {}
          @timers = {}
        end

        def remember(number, message) = @lock.hold { @messages[number] = message }

        def forget(number) = @lock.hold { @messages.delete(number) }

        # The message that the object handles.
        def current = @lock.hold { @messages.each_value.first }

        def ended(connection, reason)
          super
          @stub.raffia_ended
        end

        private

        def message(number) = @lock.hold { @messages[number] }

        def other(connection, op, arguments, reply)
          case op
          when :waits then waits(connection, *arguments)
          when :rests then message(arguments.first)&.rest
          when :timer then timer(*arguments)
          when :cancel then @lock.hold { @timers.delete(arguments.first) }&.cancel
          when :urge then @core.urge { @stub.raffia_run(arguments.first) }
          when :link, :unlink then return change_link(op, arguments.first.raffia_core, reply)
          when :subscribe then subscribe(*arguments)
          when :unsubscribe then @core.unsubscribe(*arguments)
          else return super
          end
          reply.settle
        end

        def timer(seconds, again, key)
          timer = @core.start_timer(seconds, again, &run(key))
          @lock.hold { @timers[key] = timer } if again
        end

        # The object's message waits for the answer of a request that it sent before.
        def waits(connection, request, number)
          reply = connection.pending_reply(request)
          waiting = message(number)
          message = reply&.message
          return unless waiting && message

          reply.awaited_by(waiting)
          waiting.expect(message)
          message.adopt(waiting)
          message.core.check_cycle(waiting, message) unless reply.settled?
        rescue CallCycle => error
          reply.refuse(error)
        end

        def change_link(op, other, reply)
          settle_in_background(reply) { @core.public_send(op, other) && nil }
        end

        def subscribe(pattern, handler)
          @core.subscribe(pattern, handler.is_a?(Symbol) ? handler : run(handler))
        end

        # The block runs as a method of the stub.
        def run(key) = proc { |*arguments, **keywords| raffia_run(key, *arguments, **keywords) }
      end
    end
  end
end
