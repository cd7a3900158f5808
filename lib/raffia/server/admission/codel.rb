# frozen_string_literal: true

require_relative "../../base/clock"

module Raffia
  class Server
    class Admission
      # Says when a queue stands: when for a whole interval nobody has waited for less than the
      # target. Long waits alone say little, for a burst makes them too and then drains; if even the
      # shortest wait is long, there is more work than can be done, and waiting helps nobody. Then
      # those are sent away that have waited for longer than twice the target, until somebody waits
      # for less than it again.
      #
      # This is CoDel's test (RFC 8289) with a plainer consequence: CoDel drops more and more often,
      # which is for senders that slow down when they lose a packet. Browsers do not.
      #
      # @api private
      class CoDel
        # Intervals are so many targets long, as RFC 8289 advises (section 4.3: the target is 5 to
        # 10% of it).
        INTERVAL = 10

        # @param target [Numeric] seconds
        def initialize(target, interval: target * INTERVAL)
          @target = target
          @interval = interval
          @ends = 0.0
          @least = 0.0
          @standing = false
        end

        # @return [Boolean] whether the queue stands
        def standing? = @standing

        # @param waited [Numeric] seconds, by somebody whose turn it is
        # @param now [Float]
        # @return [Boolean] whether to send it away
        def refuse?(waited, now = Clock.now)
          (now >= @ends) ? judge(waited, now) : (@least = waited if waited < @least)
          @standing = false if waited < @target
          @standing && waited > 2 * @target
        end

        private

        # After a pause of more than an interval, nothing is known.
        def judge(waited, now)
          @standing = @least > @target && now < @ends + @interval
          @least = waited
          @ends = now + @interval
        end
      end
    end
  end
end
