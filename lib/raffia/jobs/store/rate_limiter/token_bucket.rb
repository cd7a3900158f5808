# frozen_string_literal: true

module Raffia
  module Jobs
    class Store
      class RateLimiter
        # `burst` starts at once, and one more each `per / allow` seconds: the generic cell rate
        # algorithm of ATM (ITU-T I.371), whose state is one time.
        # @api private
        class TokenBucket < RateLimiter
          # Rounding of times in seconds since 1970 as Floats, as a part of a token.
          ROUNDING = 1e-3
          private_constant :ROUNDING

          def spend(cost) = @state.full_at = full_at + cost * interval

          private

          def interval = @rule.per / @rule.allow

          def capacity = @rule.most * interval

          def full_at = @state.full_at.clamp(@now, @now + capacity + @rule.lead)

          def available(latest)
            ((latest + capacity - full_at) / interval + ROUNDING).floor.clamp(0..)
          end

          def next_start(cost, latest)
            time = available_at(cost)
            time if time <= latest + ROUNDING * interval
          end

          def available_at(cost) = [full_at + cost * interval - capacity, @now].max
        end
      end
    end
  end
end
