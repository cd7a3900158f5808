# frozen_string_literal: true

require_relative "../../base/error"
require_relative "../../task"
require_relative "codel"

module Raffia
  class Server
    class Admission
      # Limits the requests that are with the application. The others wait in order. One that waits
      # too long, or in a queue that stands ({CoDel}), is refused before the application sees it.
      #
      # A request counts until the application has answered: a streamed body may go on for hours.
      #
      # @api private
      class ConcurrencyLimiter
        # The request was refused: the client may try again after so many seconds.
        class Busy < Error
          # @return [Integer]
          attr_reader :retry_after
          # @return [Float] seconds that the request has waited
          attr_reader :waited

          def initialize(waited)
            @waited = waited
            @retry_after = waited.ceil.clamp(1..)
            super("too busy: the request has waited for #{waited.round(3)} s")
          end
        end

        # The request was refused because its client does not wait for it any more.
        class Expired < Busy
        end

        # @param limit [Integer, nil] requests at once
        # @param target [Numeric, nil] seconds, see {CoDel}
        # @param max_wait [Numeric, nil] seconds that a request may have waited
        # @return [ConcurrencyLimiter, nil] nil when nothing is limited
        def self.build(limit: nil, target: nil, max_wait: nil)
          new(limit:, target:, max_wait:) if limit || target || max_wait
        end

        # @return [Integer] requests that were admitted and have not left
        attr_reader :admitted

        # (see build)
        def initialize(limit: nil, target: nil, max_wait: nil)
          @limit = limit || Float::INFINITY
          @codel = CoDel.new(target) if target
          @max_wait = max_wait
          @on_relief = nil
          # ordered; a fiber that gives up is taken out of the middle
          @queue = {}.compare_by_identity
          @admitted = 0
        end

        # @return [Integer] requests that wait
        def waiting = @queue.size

        # @return [Boolean] whether as many wait as may be admitted
        def crowded? = @queue.size >= @limit

        # @return [Boolean] whether it refuses those that wait for too long
        def refuses? = !!(@codel || @max_wait)

        # @yield when it was crowded, and a request has left
        def on_relief(&block) = @on_relief = block

        # A request that stays for long does not count from here on.
        def step_aside = leave

        # It counts again, until {leave}.
        def step_back = @admitted += 1

        # Waits for its turn. An admitted request has to {leave}.
        # @param queued [Numeric] seconds that the request has waited in this process
        # @param before [Numeric] seconds that it waited before that
        # @return [Float] seconds that it has waited in this process
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

        # @return [Float] seconds
        def wait(waited)
          start = Clock.now
          waiter = Waiter.new
          @queue[waiter] = true
          called = waiter.wait(@max_wait && [@max_wait - waited, 0].max) { leave }
          return Clock.now - start unless called.equal?(Waiter::TIMED_OUT)

          raise Busy.new(waited + Clock.now - start)
        ensure
          @queue.delete(waiter)
        end

        # A request counts from here on, not when its fiber runs: else others would come in between.
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
