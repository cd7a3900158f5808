# frozen_string_literal: true

# Classic: a reader becomes a writer while it still counts as a reader; two of them wait for each
# other to leave. Fixed: leave first, look again as the writer.
module SimulationBench
  module LockUpgrade
    class Cache
      def initialize
        @lock = Mutex.new
        @left = ConditionVariable.new
        @readers = 0
        @value = nil
      end

      def fetch
        enter
        return @value if @value

        compute_after_reading
      ensure
        leave
      end

      private

      def enter = @lock.synchronize { @readers += 1 }

      def leave
        @lock.synchronize do
          @readers -= 1
          @left.broadcast
        end
      end

      def compute_after_reading = compute(1)

      def compute(readers)
        @lock.synchronize do
          @left.wait(@lock) until @readers <= readers
          @value ||= 42
        end
      end
    end

    class DowngradingCache < Cache
      def compute_after_reading
        leave
        compute(0)
      ensure
        enter
      end
    end

    def self.run(cache)
      values = Array.new(2) { Thread.new { cache.fetch } }.map(&:value)
      SimulationBench.check(values == [42, 42], "cached #{values}")
    end
  end

  model "lock_upgrade", source: "classic", fault: "two readers upgrade to writers",
    needs: [:preempt], buggy: ->(_sim) { LockUpgrade.run(LockUpgrade::Cache.new) },
    fixed: ->(_sim) { LockUpgrade.run(LockUpgrade::DowngradingCache.new) }
end
