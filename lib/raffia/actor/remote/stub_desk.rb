# frozen_string_literal: true

module Raffia
  class Actor
    module Remote
      # What a {Stub}'s side does for its object: what a cell does for one that lives here.
      #
      # @api private
      class StubDesk < Desk
        def initialize(cell, stub)
          super()
          @cell = cell
          @stub = stub
          @guard = Guard.new
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

        def other(_line, op, arguments, answer)
          case op
          when :timer then timer(*arguments)
          when :cancel then @guard.hold { @timers.delete(arguments.first) }&.cancel
          when :urge then @cell.urge { @stub.raffia_run(arguments.first) }
          when :link then @cell.link(arguments.first.raffia_cell)
          when :unlink then @cell.unlink(arguments.first.raffia_cell)
          else return super
          end
          answer.settle
        end

        def timer(seconds, again, key)
          timer = @cell.set_timer(seconds, again, &run(key))
          @guard.hold { @timers[key] = timer } if again
        end

        # It is run as a method of the stub's.
        def run(key) = proc { raffia_run(key) }
      end
    end
  end
end
