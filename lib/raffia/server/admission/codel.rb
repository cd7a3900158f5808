# frozen_string_literal: true

module Raffia
  class Server
    class Admission
      # Detects a standing queue: for a whole interval, every request has waited longer than the
      # target.
      #
      # A burst makes long waits, too, but drains. When even the shortest wait is long, waiting does
      # not help. Then requests are refused that have waited twice the target, until one waits less
      # than it.
      #
      # The test is CoDel's (RFC 8289). CoDel also drops more and more often, for senders that slow
      # down on loss; browsers do not.
      #
      # @api private
      class CoDel
        # In targets (RFC 8289, 4.3: the target is 5 to 10% of the interval).
        INTERVAL = 10

        # `target` and `interval` are in seconds.
        def initialize(target, interval: target * INTERVAL)
          @target = target
          @interval = interval
          @ends = 0.0
          @shortest = 0.0
          @standing = false
        end

        def standing? = @standing

        # `waited`: seconds that the request has waited, now that its turn has come.
        def refuse?(waited, now = Clock.now)
          (now >= @ends) ? judge(waited, now) : (@shortest = waited if waited < @shortest)
          @standing = false if waited < @target
          @standing && waited > 2 * @target
        end

        private

        # After a pause longer than an interval nothing is known.
        def judge(waited, now)
          @standing = @shortest > @target && now < @ends + @interval
          @shortest = waited
          @ends = now + @interval
        end
      end
    end
  end
end
