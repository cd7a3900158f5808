# frozen_string_literal: true

module Raffia
  class Actor
    class Cell
      # What an actor does later, and what it still owes.
      #
      # @api private
      module Timing
        # @param seconds [Numeric]
        # @param again [Boolean] every so many seconds
        # @return [Host::Timer]
        def set_timer(seconds, again, &block)
          tick = nil
          timer = @host.timer(method(:forget_timer)) do
            ring(tick)
            seconds if again
          end
          tick = Tick.new(self, timer, block)
          kept = @guard.hold do
            @status != :dead && (@timers ||= {}.compare_by_identity)[timer] = true
          end
          kept ? timer.arm(seconds) : timer.cancel
          timer
        end

        # @param answer [Answer] that somebody waits for
        # @return [Answer]
        def owe(answer)
          @guard.hold { (@owed ||= {}.compare_by_identity)[answer] = true } && answer
        end

        # @return [void]
        def paid(answer) = @guard.hold { @owed&.delete(answer) }

        private

        # One for which there is no room is left out: there will be another, or its actor has more
        # than enough to do.
        def ring(tick)
          wanted = @guard.hold do
            return if tick.waits? || @mailbox.full? || !alive? || @status == :restarting

            @mailbox.append(tick.wait)
            @status == :running && seize
          end
          dispatch(false) if wanted
        rescue Closed
          nil # the loop ends, and all that lives there
        end

        def forget_timer(timer) = @guard.hold { @timers&.delete(timer) }
      end
    end
  end
end
