# frozen_string_literal: true

module Raffia
  module Integrations
    module IOEvent
      # Fibers that are ready to run.
      #
      # @api private
      module Turns
        # The turn of a fiber that switched to another one. It is void when the fiber is resumed
        # earlier.
        Turn = Struct.new(:fiber) do
          def alive? = fiber&.alive?

          def transfer = fiber.transfer
        end
        private_constant :Turn

        # Lets the fiber run in the next {Selector#select}. Any thread may call it, and has to wake
        # the loop then.
        def push(fiber)
          @turns.push(fiber)
          nil
        end

        def ready? = !@turns.empty?

        # Lets the other fibers run first.
        def yield
          turn = add_turn
          transfer
        ensure
          turn&.fiber = nil
        end

        # Switches to the fiber at once; the caller continues in the next {Selector#select}.
        def resume(fiber, *arguments)
          turn = add_turn
          fiber.transfer(*arguments) if fiber.alive?
        ensure
          turn&.fiber = nil
        end

        # Like {#resume}, with an exception.
        def raise(fiber, *arguments, **options)
          turn = add_turn
          fiber.raise(*arguments, **options)
        ensure
          turn&.fiber = nil
        end

        private

        # An Array, because its push is atomic: other threads push.
        def init_turns
          @turns = []
        end

        def add_turn
          turn = Turn.new(Fiber.current)
          @turns.push(turn)
          turn
        end

        # Runs the fibers that are ready now, not those that become ready meanwhile. No interrupt
        # can occur between the `shift` and the switch, see {Selector#deliver}. Returns nil without
        # turns.
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
