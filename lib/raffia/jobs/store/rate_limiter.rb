# frozen_string_literal: true

module Raffia
  module Jobs
    class Store
      # Decides how many jobs of one rate's key may start now. Stores keep the state, in their own
      # clock; the arithmetic is the same in all of them.
      #
      # A clock that was set back must not close a key: times in the future count as now.
      # @api private
      class RateLimiter
        # Starts allowed in so many seconds; `burst` of them at once, for a bucket.
        Rule = Data.define(:allow, :per, :burst, :style) do
          # @param spec [Hash] the field "rate" of a payload
          def self.of(spec)
            new(allow: spec["allow"], per: spec["per"].to_f, style: spec["style"] || "window",
              burst: spec["burst"] || spec["allow"])
          end

          # Cost of a job, at most: a higher one would never start.
          def most = (style == "bucket") ? [burst, 1].max : allow

          # Seconds that a start may be taken as later than it was, so that starts can be counted
          # together.
          def grain = (per / 1000).clamp(..1.0)
        end

        # State of a key. `used`: starts in the window. `full_at`: when a bucket is full again.
        State = Struct.new(:used, :full_at, :closed_until, :opens_at) do
          def self.initial = new(0, 0.0, 0.0, nil)

          def closed?(now) = closed_until > now
        end

        def self.for(rule, state, now, oldest = nil)
          kind = (rule.style == "bucket") ? TokenBucket : SlidingWindow
          kind.new(rule, state, now, oldest)
        end

        attr_reader :state
        # Starts that {grant} took.
        attr_reader :spent

        # `oldest`: time of the first start that the window still has.
        def initialize(rule, state, now, oldest)
          @rule = rule
          @state = state
          @now = now
          @oldest = oldest
          @spent = 0
        end

        # How many starts of cost 1 there may be now.
        def tokens = @state.closed?(@now) ? 0 : available

        # Takes the first ones that fit. Returns their number.
        def grant(costs)
          left = tokens
          fit = costs.take_while { |cost| (left -= limited(cost)) >= 0 }
          spend(@spent = fit.sum { |cost| limited(cost) }) if fit.any?
          fit.size
        end

        # A job did not begin.
        def refund(cost) = spend(-limited(cost))

        # When a job of this cost may start, by what is known now.
        def opens_at(cost = 1) = [available_at(limited(cost)), @state.closed_until].max

        # When a job of this cost may start, after so many starts now.
        def opens_after(spent, cost)
          later = self.class.new(@rule, @state.dup, @now, @oldest || @now)
          later.spend(spent)
          [later.opens_at(cost), @now + @rule.grain].max
        end

        private

        def limited(cost) = cost.clamp(1, @rule.most)
      end
    end
  end
end

require_relative "rate_limiter/sliding_window"
require_relative "rate_limiter/token_bucket"
