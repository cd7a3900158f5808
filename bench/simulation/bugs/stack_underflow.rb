# frozen_string_literal: true

# SCTBench's stack: push and pop have the lock, the check for emptiness before pop has not. Fixed:
# check and pop under the lock.
module SimulationBench
  module StackUnderflow
    class Stack
      def initialize(*items)
        @lock = Monitor.new
        @items = items
      end

      def any? = @lock.synchronize { !@items.empty? }

      def pop
        @lock.synchronize { @items.pop || raise(Violation, "popped from an empty stack") }
      end

      def take = any? && pop
    end

    class LockedStack < Stack
      def take = @lock.synchronize { super }
    end

    def self.run(stack)
      Array.new(3) { Thread.new { stack.take } }.each(&:join)
    end
  end

  model "stack_underflow", source: "SCTBench stack", fault: "emptiness checked outside of the lock",
    needs: [:preempt], buggy: ->(_sim) { StackUnderflow.run(StackUnderflow::Stack.new(1, 2)) },
    fixed: ->(_sim) { StackUnderflow.run(StackUnderflow::LockedStack.new(1, 2)) }
end
