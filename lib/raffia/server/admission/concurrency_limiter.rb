# frozen_string_literal: true

require_relative "codel"

module Raffia
  class Server
    class Admission
      # Limits the requests in the application. The others wait in order. A request that waits too
      # long, or in a standing queue ({CoDel}), is refused.
      #
      # A request counts until the application has answered: a streamed body may go on for hours.
      #
      # @api private
      class ConcurrencyLimiter
        # The request was refused; `retry_after` and `waited` are in seconds.
        class Busy < Error
          attr_reader :retry_after, :waited

          def initialize(waited)
            @waited = waited
            @retry_after = waited.ceil.clamp(1..)
            super("too busy: the request has waited for #{waited.round(3)} s")
          end
        end

        # The client of the request no longer waits for it.
        class Expired < Busy
        end

        # `target` and `max_wait` are in seconds. Nil when nothing is limited.
        def self.build(limit: nil, target: nil, max_wait: nil)
          new(limit:, target:, max_wait:) if limit || target || max_wait
        end

        attr_reader :admitted

        def initialize(limit: nil, target: nil, max_wait: nil)
          @limit = limit || Float::INFINITY
          @codel = CoDel.new(target) if target
          @max_wait = max_wait
          @on_relief = nil
          # ordered; a fiber that gives up is removed from the middle
          @queue = {}.compare_by_identity
          @admitted = 0
        end

        def waiting = @queue.size

        # Seconds that the first in the queue has waited here.
        def longest_wait
          _, since = @queue.first
          since ? Clock.now - since : 0.0
        end

        # 0..1: how many of the requests that it admits at a time there are.
        def occupancy = (@admitted / @limit.to_f).clamp(0.0, 1.0)

        def crowded? = @queue.size >= @limit

        def refuses? = !!(@codel || @max_wait)

        # Runs the block when a request leaves a crowded limiter.
        def on_relief(&block) = @on_relief = block

        # A request that stays for long no longer counts.
        def release = leave

        # It counts again, until {leave}.
        def reacquire = @admitted += 1

        # Waits for the request's turn; {leave} must follow. `queued`: seconds in this process,
        # `before`: seconds until then. Returns the new `queued`.
        def enter(queued = 0.0, before = 0.0)
          if @admitted < @limit && @queue.empty?
            @admitted += 1
          else
            queued += wait(queued + before)
          end
          refuse(queued + before) if refuse?(queued, before)
          queued
        end

        def leave
          @admitted -= 1
          admit_next
        end

        private

        def refuse?(queued, before)
          @codel&.refuse?(queued) || (@max_wait && queued + before > @max_wait)
        end

        def refuse(waited)
          leave
          raise Busy.new(waited)
        end

        def wait(waited)
          start = Clock.now
          waiter = Waiter.new
          @queue[waiter] = start
          called = waiter.wait(@max_wait && [@max_wait - waited, 0].max) { leave }
          return Clock.now - start unless called.equal?(Waiter::TIMED_OUT)

          raise Busy.new(waited + Clock.now - start)
        ensure
          @queue.delete(waiter)
        end

        # A request counts from here, not when its fiber runs: else others would overtake it.
        def admit_next
          crowded = @on_relief && crowded?
          while @admitted < @limit && (waiter, = @queue.shift)
            @admitted += 1 if waiter.settle(true)
          end
          @on_relief.call if crowded
        end
      end
    end
  end
end
