# frozen_string_literal: true

# puma#2655, fixed by #2656: the acceptor waits until fewer workers than the maximum are busy; a
# worker that was asked to leave goes after its job without a signal, and the acceptor waits for
# ever. Fixed: signal when leaving.
module SimulationBench
  module PumaTrimmedWorker
    class Pool
      def initialize
        @lock = Mutex.new
        @not_full = ConditionVariable.new
        @busy = 0
        @trim = false
      end

      def start(&job)
        @lock.synchronize { @busy += 1 }
        Thread.new do
          job.call
          finish
        end
      end

      def trim = @lock.synchronize { @trim = true }

      def wait_until_not_full
        @lock.synchronize { @not_full.wait(@lock) while @busy.positive? }
      end

      private

      def finish
        @lock.synchronize do
          @busy -= 1
          @trim ? leave : @not_full.signal
        end
      end

      def leave = nil
    end

    class SignallingPool < Pool
      def leave = @not_full.signal
    end

    def self.run(pool)
      worker = pool.start { "request".upcase }
      reaper = Thread.new { pool.trim }
      pool.wait_until_not_full
      [worker, reaper].each(&:join)
    end
  end

  model "puma_trimmed_worker", source: "puma#2655",
    fault: "a trimmed worker leaves without a signal",
    needs: [:preempt], buggy: ->(_sim) { PumaTrimmedWorker.run(PumaTrimmedWorker::Pool.new) },
    fixed: ->(_sim) { PumaTrimmedWorker.run(PumaTrimmedWorker::SignallingPool.new) }
end
