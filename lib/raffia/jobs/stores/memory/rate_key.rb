# frozen_string_literal: true

module Raffia
  module Jobs
    module Stores
      class Memory < Store
        # One key of a rate: its starts, and the jobs that it blocks.
        # @api private
        class RateKey
          attr_reader :name, :blocked

          # `rules`: those that replace the rules of jobs, by the name of the limit.
          def initialize(name, rules)
            @name = name
            @rules = rules
            @state = Store::RateLimiter::State.initial
            @starts = {}
            @blocked = []
            @spec = nil
          end

          # The newest job's rule holds.
          def use(job)
            @spec = job.rate
            self
          end

          # Returns when the job may start, nil if not now, or soon.
          def start(job, now, ahead)
            limiter = limiter(now)
            time = limiter.grant([job.rate_cost], ahead ? rule.lead : 0).first
            count(now, limiter.taken) if window?
            time
          end

          def refund(job, now)
            return limiter(now).refund(job.rate_cost) unless window?

            slot = @starts.keys.last or return
            @starts[slot] -= [job.rate_cost, @starts[slot]].min
          end

          def block(job, now)
            @blocked.push(job)
            @state.opens_at ||= limiter(now).opens_at(job.rate_cost)
          end

          def remove(job) = @blocked.delete_at(@blocked.index { |one| one.equal?(job) })

          def close(ends_at)
            @state.closed_until = ends_at
            reopen(ends_at)
          end

          # Blocked jobs are looked at again then.
          def reopen(at) = @state.opens_at &&= at

          # Takes out the blocked jobs that may start now. Their claims spend.
          def due(now, ahead)
            lead = ahead ? rule.lead : 0
            return [] unless @state.opens_at&.<=(now + lead)

            limiter = limiter(now)
            left = tokens = limiter.tokens(lead)
            jobs = @blocked.shift(@blocked.take_while { |job| (left -= job.rate_cost) >= 0 }.size)
            @state.opens_at = next_opening(limiter, tokens, lead)
            jobs
          end

          # When a blocked job may start, nil for none.
          def opens_at = @state.opens_at

          def idle?(now)
            @blocked.empty? && !@state.closed?(now) &&
              (@spec.nil? || limiter(now).then { |one| one.tokens >= rule.most })
          end

          def to_h(now)
            limiter = limiter(now) if @spec
            {"name" => @spec&.fetch("name", nil), "key" => @name, **(@spec ? rule.to_h : {})
              .transform_keys(&:to_s), "tokens" => limiter&.tokens, "opens_at" => opens_at,
             "closed_until" => (@state.closed_until if @state.closed?(now)),
             "blocked" => @blocked.size}
          end

          private

          def next_opening(limiter, tokens, lead)
            @blocked.any? ? limiter.opens_after(tokens, @blocked.first.rate_cost, lead) : nil
          end

          def rule = Store::RateLimiter::Rule.of(@rules[@spec["name"]] || @spec)

          def window? = rule.style != "bucket"

          def limiter(now)
            forget_starts(now) if window?
            Store::RateLimiter.for(rule, @state, now, window? ? @starts.to_a : [])
          end

          def forget_starts(now)
            move_to_present(now)
            @starts.delete_if { |at, _| at <= now - rule.per }
            @state.used = @starts.sum { |_, count| count }
          end

          # After the clock was set back.
          def move_to_present(now)
            return unless @starts.any? && @starts.keys.last > now + rule.grain + rule.lead

            @starts = @starts.each_with_object(Hash.new(0)) do |(at, number), starts|
              starts[[at, now].min] += number
            end
          end

          # In order, those that are planned last.
          def count(now, taken)
            taken.each do |time, cost|
              slot = Store::RateLimiter::SlidingWindow.slot(rule, now)
              slot = time if time > now
              last = @starts.keys.last
              @starts[slot] = (@starts[slot] || 0) + cost
              @starts = @starts.sort.to_h if last && slot < last
            end
          end
        end
      end
    end
  end
end
