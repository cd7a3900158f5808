# frozen_string_literal: true

# Classic: a future is asked whether it is done, then given a callback; it completed between the
# two and has called its callbacks already. Fixed: both under the lock.
module SimulationBench
  module LateCallback
    class Future
      def initialize
        @lock = Monitor.new
        @callbacks = []
        @done = false
      end

      def done? = @done

      def on_complete(&callback)
        done? ? callback.call : @lock.synchronize { @callbacks.push(callback) }
      end

      def complete
        callbacks = @lock.synchronize do
          @done = true
          @callbacks
        end
        callbacks.each(&:call)
      end
    end

    class LockedFuture < Future
      def on_complete(&callback) = @lock.synchronize { super }
    end

    def self.run(future)
      calls = Queue.new
      registrar = Thread.new { future.on_complete { calls.push(:called) } }
      future.complete
      registrar.join
      SimulationBench.check(calls.size == 1, "the callback was called #{calls.size} times")
    end
  end

  model "late_callback", source: "classic", fault: "a callback added after completion",
    needs: [:preempt], buggy: ->(_sim) { LateCallback.run(LateCallback::Future.new) },
    fixed: ->(_sim) { LateCallback.run(LateCallback::LockedFuture.new) }
end
