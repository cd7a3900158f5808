# frozen_string_literal: true

# Classic: producers and consumers wait on one ConditionVariable, and `signal` wakes one of the
# wrong kind, which waits again. Fixed: `broadcast`.
module SimulationBench
  module SignalOfTwoKinds
    class Slot
      def initialize
        @lock = Mutex.new
        @changed = ConditionVariable.new
        @full = false
      end

      def put
        @lock.synchronize do
          @changed.wait(@lock) while @full
          @full = true
          notify
        end
      end

      def take
        @lock.synchronize do
          @changed.wait(@lock) until @full
          @full = false
          notify
        end
      end

      private

      def notify = @changed.signal
    end

    class BroadcastingSlot < Slot
      def notify = @changed.broadcast
    end

    def self.run(slot)
      consumers = Array.new(2) { Thread.new { slot.take } }
      producers = Array.new(2) { Thread.new { slot.put } }
      (consumers + producers).each(&:join)
    end
  end

  model "signal_of_two_kinds", source: "classic",
    fault: "`signal` wakes a waiter of the wrong kind",
    needs: [:preempt], buggy: ->(_sim) { SignalOfTwoKinds.run(SignalOfTwoKinds::Slot.new) },
    fixed: ->(_sim) { SignalOfTwoKinds.run(SignalOfTwoKinds::BroadcastingSlot.new) }
end
