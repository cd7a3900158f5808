# frozen_string_literal: true

# puma#809: shutdown joins the first worker until there is none, without the lock; a worker that
# ends deletes itself from the list between the check and `first`. Fixed: join a copy.
module SimulationBench
  module PumaJoinWorkers
    class Pool
      attr_reader :threads

      def initialize(size)
        @lock = Mutex.new
        @lock.synchronize do
          @threads = Array.new(size) { Thread.new { leave } }
          @workers = @threads.dup
        end
      end

      def shutdown
        first.join while workers?
      end

      private

      def workers? = !@workers.empty?

      def first = @workers.first

      def leave = @lock.synchronize { @workers.delete(Thread.current) }
    end

    class CopyingPool < Pool
      def shutdown = @lock.synchronize { @workers.dup }.each(&:join)
    end

    def self.run(type)
      pool = type.new(2)
      pool.shutdown
      pool.threads.each(&:join)
    end
  end

  model "puma_join_workers", source: "puma#809",
    fault: "first worker of a list that just became empty",
    needs: [:preempt], buggy: ->(_sim) { PumaJoinWorkers.run(PumaJoinWorkers::Pool) },
    fixed: ->(_sim) { PumaJoinWorkers.run(PumaJoinWorkers::CopyingPool) }
end
