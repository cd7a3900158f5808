# frozen_string_literal: true

require_relative "../../base/error"
require_relative "../../task"
require_relative "codel"

module Raffia
  class Server
    class Admission
      # Decides which requests of a worker begin, and when. Those beyond the limit wait in line; one
      # that has waited for too long, or waits in a line that does not get shorter ({CoDel}), is
      # refused, before the application has heard of it.
      #
      # A request is inside until the application has answered: the body of a stream may go on for
      # hours.
      #
      # @api private
      class ConcurrencyLimiter
        # Refused: the client may try again after so many seconds.
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

        # Refused: the client does not wait for it any more.
        class Expired < Busy
        end

        # @param limit [Integer, nil] requests inside
        # @param target [Numeric, nil] seconds, see {CoDel}
        # @param most [Numeric, nil] seconds that a request may have waited
        # @return [ConcurrencyLimiter, nil] nil when nothing is to be decided
        def self.build(limit: nil, target: nil, most: nil)
          new(limit:, target:, most:) if limit || target || most
        end

        # @return [Integer] how many have been let in and are not out yet
        attr_reader :inside

        def initialize(limit: nil, target: nil, most: nil)
          @limit = limit || Float::INFINITY
          @shed = CoDel.new(target) if target
          @most = most
          @relief = nil
          # in order: a fiber that gives up is taken out of the middle
          @line = {}.compare_by_identity
          @inside = 0
        end

        # @return [Integer] how many wait in line
        def waiting = @line.size

        # @return [Boolean] whether as many wait as may be inside
        def crowded? = @line.size >= @limit

        # @return [Boolean] whether it refuses those that wait for too long
        def refuses? = !!(@shed || @most)

        # @yield when it was crowded, and a request has left
        # @return [void]
        def on_relief(&block) = @relief = block

        # Somebody who is inside for long makes room for another.
        # @return [void]
        def step_aside = leave

        # He counts again, to {leave}.
        # @return [void]
        def step_back = @inside += 1

        # Waits for its turn. Whoever was let in leaves by {leave}.
        # @param queued [Numeric] seconds that the request has waited already, here in this process
        # @param before [Numeric] and in front of it
        # @return [Float] seconds that it has waited in this process
        # @raise [Busy]
        def enter(queued = 0.0, before = 0.0)
          if @inside < @limit && @line.empty?
            @inside += 1
          else
            queued += line_up(queued + before)
          end
          refuse(queued + before) if @shed&.refuse?(queued) || (@most && queued + before > @most)
          queued
        end

        # @return [void]
        def leave
          @inside -= 1
          call_next
        end

        private

        def refuse(waited)
          leave
          raise Busy.new(waited)
        end

        # @return [Float] seconds
        def line_up(waited)
          start = Clock.now
          waiter = Waiter.new
          @line[waiter] = true
          called = waiter.wait(@most && [@most - waited, 0].max) { leave }
          return Clock.now - start unless called.equal?(Waiter::TIMED_OUT)

          raise Busy.new(waited + Clock.now - start)
        ensure
          @line.delete(waiter)
        end

        # Whoever is called is inside at once: until it runs, others would find the place free.
        def call_next
          crowded = @relief && crowded?
          while @inside < @limit && (waiter, = @line.shift)
            @inside += 1 if waiter.settle(true)
          end
          @relief.call if crowded
        end
      end
    end
  end
end
