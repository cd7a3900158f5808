# frozen_string_literal: true

module Raffia
  module Simulation
    # Time limits of calls of core that wait, perhaps several times, in one fiber.
    #
    # @api private
    class TimeLimits
      def initialize(clock)
        @clock = clock
        @limits = {}.compare_by_identity # fiber => the instant at which its call ends
      end

      # Runs the block, and leaves it with nil when a wait in it has not ended after the seconds.
      def within(seconds)
        limit = @clock.now + VirtualClock.nanoseconds(seconds)
        tag = Object.new
        @limits[fiber = ::Fiber.current] = [limit, tag]
        catch(tag) { yield }
      ensure
        @limits.delete(fiber)
      end

      # Seconds that the fiber's wait may take; nil: no limit.
      def remaining(fiber)
        limit, = @limits[fiber]
        [limit - @clock.now, 0].max.fdiv(VirtualClock::SECOND) if limit
      end

      # The fiber's wait has not ended in its time.
      def expire(fiber)
        _, tag = @limits[fiber]
        throw(tag) if tag
      end
    end
  end
end
