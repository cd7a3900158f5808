# frozen_string_literal: true

# async#216: unblock, from another thread, looks whether the selector is there, then wakes it; the
# loop closed it between the two. Fixed: look and wake under the lock under which it is closed.
module SimulationBench
  module AsyncClosedSelector
    class Selector
      def initialize = @woken = 0

      def wakeup = @woken += 1
    end

    class Loop
      def initialize
        @lock = Mutex.new
        @selector = Selector.new
        @ready = []
      end

      def unblock(fiber)
        @ready.push(fiber)
        wake if open?
      end

      def close = @selector = nil

      private

      def open? = !@selector.nil?

      def wake = @selector.wakeup
    end

    class LockedLoop < Loop
      def unblock(fiber) = @lock.synchronize { super }

      def close = @lock.synchronize { super }
    end

    def self.run(loop)
      waker = Thread.new { loop.unblock(:fiber) }
      loop.close
      waker.join
    end
  end

  model "async_closed_selector", source: "async#216", fault: "selector closed between test and use",
    needs: [:preempt], buggy: ->(_sim) { AsyncClosedSelector.run(AsyncClosedSelector::Loop.new) },
    fixed: ->(_sim) { AsyncClosedSelector.run(AsyncClosedSelector::LockedLoop.new) }
end
