# frozen_string_literal: true

# Classic: a pool is idle when its queue is empty and no worker is busy; a worker has taken the last
# task, and has not yet said so. Fixed: the task counts as pending from its submission to its end.
module SimulationBench
  module PoppedNotCounted
    class Pool
      attr_reader :done

      def initialize
        @tasks = Queue.new
        @busy = @done = 0
        @pending = 0
        @worker = Thread.new { work }
      end

      def submit
        @pending += 1
        @tasks.push(:task)
      end

      def wait
        sleep 0.0001 until idle?
      end

      def stop
        @tasks.close
        @worker.join
      end

      private

      def idle? = @tasks.empty? && @busy.zero?

      def work
        while @tasks.pop
          @busy += 1
          execute
          @busy -= 1
        end
      end

      def execute
        @done += 1
        @pending -= 1
      end
    end

    class CountingPool < Pool
      def idle? = @pending.zero?
    end

    def self.run(pool)
      pool.submit
      pool.wait
      done = pool.done
      pool.stop
      SimulationBench.check(done == 1, "the pool was idle after #{done} of 1 task")
    end
  end

  model "popped_not_counted", source: "classic", fault: "taken off the queue, not yet busy",
    needs: [:preempt], buggy: ->(_sim) { PoppedNotCounted.run(PoppedNotCounted::Pool.new) },
    fixed: ->(_sim) { PoppedNotCounted.run(PoppedNotCounted::CountingPool.new) }
end
