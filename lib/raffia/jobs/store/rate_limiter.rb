# frozen_string_literal: true

module Raffia
  module Jobs
    class Store
      # Decides how many jobs of one rate's key may start now. Stores keep the state, in their own
      # clock; the arithmetic is the same in all of them.
      #
      # A worker without other work may claim a job shortly before its rate opens, and begins it
      # then: the start has its time from the rate, so no time is lost from an opening to a claim.
      #
      # A clock that was set back must not close a key: times in the future count as now.
      # @api private
      class RateLimiter
        # Seconds between a claim and the start that it takes, at most, and as a part of the time of
        # the rate.
        LEAD = 0.25
        LEAD_PART = 0.25

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

          # Seconds by which a start may be granted before its time.
          def lead = RateLimiter.lead(per)
        end

        # State of a key. `used`: starts in the window. `full_at`: when a bucket is full again.
        State = Struct.new(:used, :full_at, :closed_until, :opens_at) do
          def self.initial = new(0, 0.0, 0.0, nil)

          def closed?(now) = closed_until > now
        end

        def self.lead(per) = (per * LEAD_PART).clamp(..LEAD)

        # `starts`: [time, number] of the starts that the window still has, in order. There may be
        # more after them.
        def self.for(rule, state, now, starts = [])
          kind = (rule.style == "bucket") ? TokenBucket : SlidingWindow
          kind.new(rule, state, now, starts)
        end

        attr_reader :state
        # Starts that {grant} took, by their time.
        attr_reader :taken

        def initialize(rule, state, now, starts)
          @rule = rule
          @state = state
          @now = now
          @starts = starts
          @taken = {}
        end

        # How many starts of cost 1 there may be until so many seconds from now.
        def tokens(lead = 0) = @state.closed?(@now) ? 0 : available(@now + lead)

        # Takes the first ones that fit until then. Returns their times.
        def grant(costs, lead = 0)
          times = []
          return times if @state.closed?(@now)

          costs.each do |cost|
            time = next_start(limited(cost), @now + lead) or break
            spend(limited(cost))
            @taken[time] = @taken.fetch(time, 0) + limited(cost)
            times << time
          end
          times
        end

        # A job did not begin.
        def refund(cost) = spend(-limited(cost))

        # When a job of this cost may start, by what is known now.
        def opens_at(cost = 1) = [available_at(limited(cost)), @state.closed_until].max

        # When a job of this cost may start, after so many starts.
        def opens_after(spent, cost, lead = 0)
          later = dup
          later.grant(Array.new(spent, 1), lead)
          [later.opens_at(cost), @now + @rule.grain].max
        end

        private

        def initialize_copy(_other)
          @state = @state.dup
          @starts = @starts.dup
          @taken = {}
        end

        def limited(cost) = cost.clamp(1, @rule.most)
      end
    end
  end
end

require_relative "rate_limiter/opening_timer"
require_relative "rate_limiter/sliding_window"
require_relative "rate_limiter/token_bucket"
