# frozen_string_literal: true

# async 731e93b: a barrier takes a task off its list, then waits for it; a second waiter finds the
# list empty and returns while the task runs. Fixed: wait, then take it off.
module SimulationBench
  module AsyncBarrier
    class Barrier
      def initialize = @tasks = []

      def async(&block) = @tasks.push(Thread.new(&block))

      def wait
        while (task = @tasks.shift)
          task.join
        end
      end
    end

    class KeepingBarrier < Barrier
      def wait
        while (task = @tasks.first)
          task.join
          @tasks.delete(task)
        end
      end
    end

    def self.run(barrier)
      results = []
      2.times { |number| barrier.async { results.push(number) } }
      waiters = Array.new(2) { Thread.new { wait(barrier, results) } }
      waiters.each(&:join)
    end

    def self.wait(barrier, results)
      barrier.wait
      SimulationBench.check(results.size == 2,
        "#{results.size} of 2 tasks are done after the barrier")
    end
  end

  model "async_barrier", source: "async 731e93b", fault: "a task left the list before its end",
    needs: [:preempt], buggy: ->(_sim) { AsyncBarrier.run(AsyncBarrier::Barrier.new) },
    fixed: ->(_sim) { AsyncBarrier.run(AsyncBarrier::KeepingBarrier.new) }
end
