# frozen_string_literal: true

module Raffia
  class Scheduler
    class Portable
      # One suspension of one fiber. The engine's completions (readiness, a timer, a wake-up) carry
      # it. The first settles it; later ones find it settled or left. A wait is never reused, so a
      # late one cannot end the next wait.
      #
      # @api private
      class Wait
        # @return [Fiber] the one that is suspended
        attr_reader :fiber
        # @return [Fiber] the scheduler's fiber in which it runs: another one when that is resuming
        #   an Enumerator
        attr_reader :owner
        # @return [Integer] the first completion's result
        attr_reader :result
        # @return [Exception, nil] to be raised instead
        attr_reader :error

        # @return [Symbol, nil] which {Portable#unblock} ends it: :anyone's, or all but a late one
        #   (:event)
        attr_reader :woken_by

        # @param interruptible [Boolean] whether {Hooks#fiber_interrupt} may end it
        # @param about [Hash] for people: reason:, subject:, fd:, events:, limit:
        def initialize(fiber, owner, woken_by: nil, interruptible: true, about: {})
          @fiber = fiber
          @owner = owner
          @about = about
          @since = Clock.now
          @woken_by = woken_by
          @interruptible = interruptible
          @settled = @left = false
        end

        def settled? = @settled

        # @return [Array] as the scheduler's `waits` has it
        def describe
          [@fiber, @owner, @about[:reason] || :work, @about[:subject], @about[:fd],
            @about[:events] || 0, @about[:limit]&.to_f, @since]
        end

        def interruptible? = @interruptible

        # Called by the loop. May be called again with the same result when an interrupt of the
        # thread came between this and the switch.
        # @return [Fiber, nil] the fiber to switch to, nil when it has left the wait
        def complete(result)
          return if @left

          @result = result unless @settled
          @settled = true
          @fiber
        end

        # @return [Boolean] whether the exception will be raised where the fiber waits
        def fail(error)
          return false if @settled || !@interruptible

          @error = error
          @settled = true
        end

        # The fiber resumes; later completions are ignored.
        def leave
          @left = @settled = true
        end
      end
    end
  end
end
