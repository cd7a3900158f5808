# frozen_string_literal: true

# async#467, #469: a wait ends by its timeout; the wake-up that was meant for it comes later and
# ends the next wait. Fixed: a wake-up names the wait that it is for.
module SimulationBench
  module AsyncStaleWakeup
    class Waiter
      def initialize
        @lock = Mutex.new
        @changed = ConditionVariable.new
        @number = 0
        @woken = nil
      end

      # @yield [Integer] the number of the wait, for {#wake}
      # @return [Boolean] false after the time limit
      def wait(limit)
        @lock.synchronize do
          yield @number += 1
          @changed.wait(@lock, limit) unless woken?
          woken?.tap { @woken = nil }
        end
      end

      def wake(number)
        @lock.synchronize do
          @woken = number
          @changed.signal
        end
      end

      private

      def woken? = !@woken.nil?
    end

    class NumberedWaiter < Waiter
      def woken? = @woken == @number
    end

    def self.run(waiter)
      waker = nil
      waiter.wait(0.001) { |number| waker = later { waiter.wake(number) } }
      early = waiter.wait(0.002) { |number| number }
      waker.join
      SimulationBench.check(!early, "nobody woke the second wait, but it ended as woken")
    end

    def self.later
      Thread.new do
        sleep 0.001
        yield
      end
    end
  end

  model "async_stale_wakeup", source: "async#467, #469", fault: "a late wake-up ends the next wait",
    needs: %i[preempt time],
    buggy: ->(_sim) { AsyncStaleWakeup.run(AsyncStaleWakeup::Waiter.new) },
    fixed: ->(_sim) { AsyncStaleWakeup.run(AsyncStaleWakeup::NumberedWaiter.new) }
end
