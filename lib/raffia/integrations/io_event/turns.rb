# frozen_string_literal: true

module Raffia
  module Integrations
    module IOEvent
      # The fibers that need not wait for anything but their turn.
      #
      # @api private
      module Turns
        # The turn of a fiber that went on to another one by itself. It loses it when it is resumed
        # before.
        Turn = Struct.new(:fiber) do
          def alive? = fiber&.alive?

          def transfer = fiber.transfer
        end
        private_constant :Turn

        # Let the fiber run in the next {Selector#select}. Any thread may call it, and wakes the
        # loop then.
        def push(fiber)
          @turns.push(fiber)
          nil
        end

        # Whether there is one whose turn it is.
        def ready? = !@turns.empty?

        # Let the others go first.
        def yield
          turn = add_turn
          transfer
        ensure
          turn&.fiber = nil
        end

        # Go to the fiber at once; the caller goes on in the next {Selector#select}.
        #
        # +arguments+: for Fiber#transfer.
        def resume(fiber, *arguments)
          turn = add_turn
          fiber.transfer(*arguments) if fiber.alive?
        ensure
          turn&.fiber = nil
        end

        # The same with an exception.
        #
        # +arguments+: for Fiber#raise.
        def raise(fiber, *arguments, **options)
          turn = add_turn
          fiber.raise(*arguments, **options)
        ensure
          turn&.fiber = nil
        end

        private

        # Other threads push, which a single call of C does whole.
        def init_turns
          @turns = []
        end

        def add_turn
          turn = Turn.new(Fiber.current)
          @turns.push(turn)
          turn
        end

        # Those that come meanwhile have to wait for the next time. As in {Selector#deliver},
        # nothing strikes between the `shift` and the switch.
        #
        # Whether there were any.
        def take_turns
          return if @turns.empty?

          left = @turns.size
          while left > 0 && (turn = @turns.first)
            left -= 1
            turn.alive? ? @turns.shift.transfer : @turns.shift
          end
          true
        end
      end
    end
  end
end
