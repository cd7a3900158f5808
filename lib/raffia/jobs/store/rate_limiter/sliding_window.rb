# frozen_string_literal: true

module Raffia
  module Jobs
    class Store
      class RateLimiter
        # At most `allow` starts in any `per` seconds. The store removes starts that have left the
        # window before it makes this.
        # @api private
        class SlidingWindow < RateLimiter
          # The time under which starts of now are counted.
          def self.slot(rule, now) = (now / rule.grain).ceil * rule.grain

          def spend(cost) = @state.used = (@state.used + cost).clamp(0..)

          private

          def available = (@rule.allow - @state.used).clamp(0..)

          # The first start leaves the window first. It may not be enough for a job that costs
          # more, which waits once more then.
          def available_at(cost)
            return @now if available >= cost

            (@oldest || @now) + @rule.per
          end
        end
      end
    end
  end
end
