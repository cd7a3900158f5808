# frozen_string_literal: true

# Classic: submit looks whether the executor takes tasks, then queues; the worker saw the end and an
# empty queue meanwhile, and the caller waits for a result for ever. Fixed: both under the lock.
module SimulationBench
  module ShutdownDropsTask
    class Executor
      def initialize
        @lock = Mutex.new
        @tasks = Queue.new
        @worker = Thread.new { work }
      end

      def submit(&task)
        result = Queue.new
        enqueue(-> { result.push(task.call) }) ? result.pop : :refused
      end

      def shutdown
        close
        @worker.join
      end

      private

      def enqueue(task)
        accepting? && @tasks.push(task)
      end

      def accepting? = !@closed

      def close
        @closed = true
        @tasks.push(nil)
      end

      def work
        while (task = @tasks.pop)
          task.call
        end
      end
    end

    class LockedExecutor < Executor
      def enqueue(task) = @lock.synchronize { super }

      def close = @lock.synchronize { super }
    end

    def self.run(type)
      executor = type.new
      caller = Thread.new { executor.submit { 1 + 1 } }
      executor.shutdown
      SimulationBench.check([2, :refused].include?(caller.value), "neither done nor refused")
    end
  end

  model "shutdown_drops_task", source: "classic", fault: "a task queued behind the worker's end",
    needs: [:preempt], buggy: ->(_sim) { ShutdownDropsTask.run(ShutdownDropsTask::Executor) },
    fixed: ->(_sim) { ShutdownDropsTask.run(ShutdownDropsTask::LockedExecutor) }
end
