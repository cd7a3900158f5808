# frozen_string_literal: true

# solid_queue#456 (8d90eab): a job finds the semaphore taken; the holder signals and looks for
# blocked jobs; then the job is inserted as blocked, and nobody releases it. Fixed: the semaphore's
# row is locked over both steps.
module SimulationBench
  module SolidQueueBlocked
    class Queue
      attr_reader :blocked, :free

      def initialize
        @lock = Monitor.new
        @free = 1
        @blocked = []
      end

      def enqueue(job)
        acquire ? run(job) : @blocked.push(job)
      end

      private

      def run(job)
        job.to_s
        job = finish while job
      end

      def finish
        @lock.synchronize do
          @free += 1
          @blocked.shift if @blocked.any? && acquire
        end
      end

      def acquire
        @lock.synchronize { @free.positive? && (@free -= 1) }
      end
    end

    class LockedQueue < Queue
      def enqueue(job)
        taken = @lock.synchronize { acquire || blocked.push(job) && nil }
        run(job) if taken
      end
    end

    def self.run(queue)
      %i[one two].map { |job| Thread.new { queue.enqueue(job) } }.each(&:join)
      SimulationBench.check(queue.free == 1, "the semaphore has #{queue.free} free, not 1")
      SimulationBench.check(queue.blocked.empty?, "the semaphore is free, but a job is blocked")
    end
  end

  model "solid_queue_blocked", source: "solid_queue#456", fault: "blocked after the release looked",
    needs: [:preempt], buggy: ->(_sim) { SolidQueueBlocked.run(SolidQueueBlocked::Queue.new) },
    fixed: ->(_sim) { SolidQueueBlocked.run(SolidQueueBlocked::LockedQueue.new) }
end
