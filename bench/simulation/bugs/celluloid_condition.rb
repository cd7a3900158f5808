# frozen_string_literal: true

# celluloid#343: a signal carries a value in the condition itself; a second signal overwrites it
# before the first waiter has read it. Fixed: each waiter has a place of its own.
module SimulationBench
  module CelluloidCondition
    class Condition
      def initialize
        @lock = Mutex.new
        @signalled = ConditionVariable.new
        @waiting = 0
      end

      def waiting = @lock.synchronize { @waiting }

      def signal(value)
        @lock.synchronize do
          @value = value
          @signalled.signal
        end
      end

      def wait
        @lock.synchronize do
          @waiting += 1
          @signalled.wait(@lock)
          @value
        end
      end
    end

    class QueueingCondition < Condition
      def initialize
        super
        @places = []
      end

      def waiting = @lock.synchronize { @places.size }

      def signal(value) = @lock.synchronize { @places.shift }.push(value)

      def wait
        place = Queue.new
        @lock.synchronize { @places.push(place) }
        place.pop
      end
    end

    def self.run(condition)
      waiters = Array.new(2) { Thread.new { condition.wait } }
      sleep 0.0001 while condition.waiting < 2
      2.times { |value| Thread.new { condition.signal(value) }.join }
      values = waiters.map(&:value)
      SimulationBench.check(values.sort == [0, 1], "signalled 0 and 1, received #{values.inspect}")
    end
  end

  model "celluloid_condition", source: "celluloid#343",
    fault: "a second signal overwrites the value",
    needs: [:preempt],
    buggy: ->(_sim) { CelluloidCondition.run(CelluloidCondition::Condition.new) },
    fixed: ->(_sim) { CelluloidCondition.run(CelluloidCondition::QueueingCondition.new) }
end
