# frozen_string_literal: true

module Raffia
  module Jobs
    class Store
      class RateLimiter
        # At most `allow` starts in any `per` seconds. The store removes starts that have left the
        # window before it makes this.
        # @api private
        class SlidingWindow < RateLimiter
          # `@gone`: starts that will have left the window at `@time`, the time of the next start.
          def initialize(...)
            super
            @time = @now
            @gone = 0
          end

          # The time under which starts of now are counted.
          def self.slot(rule, now) = (now / rule.grain).ceil * rule.grain

          # A start that is planned for later counts as one of now does.
          def spend(cost) = @state.used = (@state.used + cost).clamp(0..)

          private

          def room = @rule.allow - @state.used + @gone

          def available(latest)
            return room.clamp(0..) if latest <= @now

            leaving = @starts.take_while { |at, _| at + @rule.per <= latest }
            (room + leaving.sum { |_, number| number }).to_i.clamp(0..)
          end

          # The starts that leave the window first make room.
          def next_start(cost, latest)
            until room >= cost
              at, number = @starts.first
              return unless at && at + @rule.per <= latest

              @starts.shift
              @gone += number
              @time = at + @rule.per
            end
            @time
          end

          # The first start may not be enough for a job that costs more, which waits once more then.
          def available_at(cost)
            return @time if room >= cost

            (@starts.first&.first || @time) + @rule.per
          end
        end
      end
    end
  end
end
