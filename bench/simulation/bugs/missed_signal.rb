# frozen_string_literal: true

# Classic: a gate is looked at before its lock is taken; the signal comes between the two, and the
# waiter waits for ever. Fixed: look under the lock.
module SimulationBench
  module MissedSignal
    class Gate
      def initialize
        @lock = Mutex.new
        @opened = ConditionVariable.new
        @open = false
      end

      def open
        @lock.synchronize do
          @open = true
          @opened.broadcast
        end
      end

      def open? = @open

      def wait
        return if open?
        @lock.synchronize { @opened.wait(@lock) }
      end
    end

    class CheckedGate < Gate
      def wait = @lock.synchronize { @opened.wait(@lock) until open? }
    end

    def self.run(gate)
      waiter = Thread.new { gate.wait }
      Thread.new { gate.open }.join
      waiter.join
    end
  end

  model "missed_signal", source: "classic", fault: "condition looked at before the lock",
    needs: [:preempt], buggy: ->(_sim) { MissedSignal.run(MissedSignal::Gate.new) },
    fixed: ->(_sim) { MissedSignal.run(MissedSignal::CheckedGate.new) }
end
