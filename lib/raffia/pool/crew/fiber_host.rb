# frozen_string_literal: true

require_relative "../../base/clock"
require_relative "../../task"
require_relative "driver"

module Raffia
  class Pool
    # Drivers in fibers of a loop of their own, in one thread: what a long-lived pool on +:fibers+
    # runs on. Whoever submits may be in any thread, under any scheduler or none.
    #
    # @api private
    class FiberHost
      # @param desk [Pool]
      # @param workers [Integer] at most
      # @yieldreturn [Seat]
      def initialize(desk, workers, &seats)
        @desk = desk
        @workers = workers
        @seats = seats
        @live = 0
        @hosting = false
        @thread = nil
        @lock = Thread::Mutex.new
      end

      # @return [Boolean] whether the loop has to be started
      def wanted?(feed) = !@hosting && feed.size.positive?

      # @return [void]
      def grow(_feed)
        @lock.synchronize do
          return if @hosting

          @hosting = true
          last = @thread
          @thread = Thread.new do
            last&.join # whoever waits for us then waits for all
            host
          end
        end
      end

      # From a driver that has found work: somebody should wait for the next.
      # @return [void]
      def spread(feed)
        add if @live < @workers && feed.idle.zero?
      end

      # @return [Boolean] whether all have ended by themselves
      def join(timeout = nil)
        give_up = timeout && Clock.now + timeout
        while (thread = @thread)
          return false unless thread.join(give_up && [give_up - Clock.now, 0].max)
          break if thread.equal?(@thread) # the last thing that one does may be to start the next
        end
        true
      end

      # Cancel the fibers where they wait, and wait for their end.
      # @return [void]
      def stop(reason = :pool_stopped)
        @scope&.cancel(reason)
        @thread&.join unless Thread.current.equal?(@thread)
      end

      private

      def host
        Thread.current.name = "raffia fibers"
        Thread.current.report_on_exception = false
        Strategy::Fibers.run do
          Scope.open do |scope|
            @scope = scope
            add
          end
        end
      rescue => error
        @desk.crash(error, nil)
      ensure
        @hosting = false
        # What came while the last fiber left.
        @desk.vacant
      end

      def add
        @live += 1
        @scope.spawn do
          Driver.run(@desk, @seats, &:call)
        ensure
          @live -= 1
        end
      end
    end
  end
end
