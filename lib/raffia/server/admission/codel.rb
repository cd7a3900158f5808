# frozen_string_literal: true

require_relative "../../base/clock"

module Raffia
  class Server
    class Admission
      # Detects a standing queue: for a whole interval no request has waited less than the target.
      #
      # Long waits alone say little, because a burst makes them too and then drains. If even the
      # shortest wait is long, there is more work than can be done, and waiting does not help. Then
      # requests are refused that have waited for twice the target, until one waits less than it.
      #
      # This is CoDel's test (RFC 8289). CoDel drops more and more often, for senders that slow down
      # when they lose a packet. Browsers do not.
      #
      # @api private
      class CoDel
        # In targets (RFC 8289, 4.3: the target is 5 to 10% of the interval).
        INTERVAL = 10

        # @param target [Numeric] seconds
        # @param interval [Numeric] seconds
        def initialize(target, interval: target * INTERVAL)
          @target = target
          @interval = interval
          @ends = 0.0
          @shortest = 0.0
          @standing = false
        end

        # @return [Boolean] whether the queue stands
        def standing? = @standing

        # @param waited [Numeric] seconds, of a request whose turn it is
        # @return [Boolean] whether to refuse it
        def refuse?(waited, now = Clock.now)
          (now >= @ends) ? judge(waited, now) : (@shortest = waited if waited < @shortest)
          @standing = false if waited < @target
          @standing && waited > 2 * @target
        end

        private

        # After a pause of more than an interval, nothing is known.
        def judge(waited, now)
          @standing = @shortest > @target && now < @ends + @interval
          @shortest = waited
          @ends = now + @interval
        end
      end
    end
  end
end
