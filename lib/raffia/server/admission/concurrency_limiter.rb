# frozen_string_literal: true

require_relative "codel"
require_relative "fair_queue"

module Raffia
  class Server
    class Admission
      # Limits the requests in the application. The others wait in order, and connections take turns
      # ({FairQueue}). A request that waits too long, or in a standing queue ({CoDel}), is refused.
      #
      # A request counts until the application has answered: a streamed body may go on for hours.
      #
      # Heavy requests, which compute for long, may have a lower limit. The others pass those that
      # wait for it.
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

        # So many heavy requests that wait count as one.
        HEAVY_WAITING = 4
        private_constant :HEAVY_WAITING

        # `target` and `max_wait` are in seconds. Nil when nothing is limited.
        def self.build(limit: nil, target: nil, max_wait: nil, heavy: nil)
          new(limit:, target:, max_wait:, heavy:) if limit || target || max_wait
        end

        attr_reader :admitted

        def initialize(limit: nil, target: nil, max_wait: nil, heavy: nil)
          @limit = limit || Float::INFINITY
          @heavy_limit = heavy || Float::INFINITY
          @codel = CoDel.new(target) if target
          @max_wait = max_wait
          @on_relief = @on_full = nil
          @queue = FairQueue.new
          @heavy_queue = FairQueue.new
          @admitted = @heavy = 0
        end

        def waiting = @queue.size + @heavy_queue.size

        # Seconds that the oldest in the queue has waited here.
        def longest_wait
          since = [@queue, @heavy_queue].filter_map(&:oldest).min
          since ? Clock.now - since : 0.0
        end

        # 0..1: how many of the requests that it admits at a time there are.
        def occupancy = (@admitted / @limit.to_f).clamp(0.0, 1.0)

        # Whether as many connections wait as requests are admitted at a time. The requests of one
        # count once, because others take turns with them. Heavy requests must not keep out those
        # that pass them, so fewer of them count.
        def crowded?
          @queue.connections + @heavy_queue.connections / HEAVY_WAITING >= @limit
        end

        def refuses? = !!(@codel || @max_wait)

        # Runs the block when a request leaves a crowded limiter.
        def on_relief(&block) = @on_relief = block

        # Runs the block with whether a further request would wait, whenever that may have changed.
        def on_full(&block) = @on_full = block

        def full? = @admitted >= @limit

        # A request that stays for long no longer counts.
        def release(heavy = false) = leave(heavy)

        # It counts again, until {leave}.
        def reacquire(heavy = false)
          @admitted += 1
          @heavy += 1 if heavy
        end

        # Waits for the request's turn; {leave} must follow. `queued`: seconds in this process,
        # `before`: seconds until then. `connection`: the same object for all requests of one.
        # Returns the new `queued`.
        def enter(queued = 0.0, before = 0.0, heavy = false, connection = nil)
          if admissible?(heavy) && (heavy ? @heavy_queue : @queue).empty?
            reacquire(heavy)
            @on_full&.call(true) if full?
          else
            queued += wait(queued + before, heavy, connection)
          end
          refuse(queued + before, heavy) if refuse?(queued, before)
          queued
        end

        def leave(heavy = false)
          @admitted -= 1
          @heavy -= 1 if heavy
          admit_next
        end

        private

        def refuse?(queued, before)
          @codel&.refuse?(queued) || (@max_wait && queued + before > @max_wait)
        end

        def admissible?(heavy) = @admitted < @limit && !(heavy && @heavy >= @heavy_limit)

        def refuse(waited, heavy)
          leave(heavy)
          raise Busy.new(waited)
        end

        def wait(waited, heavy, connection)
          start = Clock.now
          waiter = Waiter.new
          queue = heavy ? @heavy_queue : @queue
          queue.push(waiter, connection, start)
          called = waiter.wait(@max_wait && [@max_wait - waited, 0].max) { leave(heavy) }
          return Clock.now - start unless called.equal?(Waiter::TIMED_OUT)

          raise Busy.new(waited + Clock.now - start)
        ensure
          queue.delete(waiter, connection)
        end

        # A request counts from here, not when its fiber runs: else others would overtake it.
        def admit_next
          crowded = @on_relief && crowded?
          while @admitted < @limit && (queue = next_queue)
            reacquire(queue.equal?(@heavy_queue)) if queue.shift.settle(true)
          end
          @on_full&.call(full?)
          @on_relief.call if crowded
        end

        # The queue whose first request comes next; nil when none may.
        def next_queue
          light = @queue.next_since
          heavy = @heavy_queue.next_since if @heavy < @heavy_limit
          return unless light || heavy

          (light.nil? || (heavy && heavy < light)) ? @heavy_queue : @queue
        end
      end
    end
  end
end
