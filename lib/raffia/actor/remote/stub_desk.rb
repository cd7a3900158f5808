# frozen_string_literal: true

module Raffia
  class Actor
    module Remote
      # What a {Stub}'s side does for its object: what a core does for one that lives here.
      #
      # @api private
      class StubDesk < Desk
        def initialize(core, stub)
          super()
          @core = core
          @stub = stub
          @guard = SpinLock.new
          @messages = {}
          @timers = {}
        end

        # @param number [Integer] of a question
        # @param message [Message] that it is part of
        # @return [void]
        def remember(number, message) = @guard.hold { @messages[number] = message }

        # @return [void]
        def forget(number) = @guard.hold { @messages.delete(number) }

        # @return [Message, nil] what the object works on
        def work = @guard.hold { @messages.each_value.first }

        # (see Desk#ended)
        def ended(line, reason)
          super
          @stub.raffia_ended
        end

        private

        def message(number) = @guard.hold { @messages[number] }

        def other(line, op, arguments, answer)
          case op
          when :waits then waits(line, *arguments)
          when :rests then message(arguments.first)&.rest
          when :timer then timer(*arguments)
          when :cancel then @guard.hold { @timers.delete(arguments.first) }&.cancel
          when :urge then @core.urge { @stub.raffia_run(arguments.first) }
          when :link, :unlink then return bond(op, arguments.first.raffia_core, answer)
          when :subscribe then subscribe(*arguments)
          when :unsubscribe then @core.unsubscribe(*arguments)
          else return super
          end
          answer.settle
        end

        def timer(seconds, again, key)
          timer = @core.start_timer(seconds, again, &run(key))
          @guard.hold { @timers[key] = timer } if again
        end

        # What the object works on waits for an answer that it asked for before.
        def waits(line, question, number)
          owed = line.owed(question)
          waiting = message(number)
          message = owed&.message
          return unless waiting && message

          owed.awaited_by(waiting)
          waiting.expect(message)
          message.adopt(waiting)
          message.core.check_cycle(waiting, message) unless owed.settled?
        rescue CallCycle => error
          owed.refuse(error)
        end

        # The other one may have to be asked first.
        def bond(op, other, answer) = surely(answer) { @core.public_send(op, other) && nil }

        def subscribe(pattern, handler)
          @core.subscribe(pattern, handler.is_a?(Symbol) ? handler : run(handler))
        end

        # It is run as a method of the stub's.
        def run(key) = proc { |*arguments, **keywords| raffia_run(key, *arguments, **keywords) }
      end
    end
  end
end
