# frozen_string_literal: true

# sequel 526ba213b: the pool checks its size in one synchronize block and adds a connection in
# another one. Fixed: one block.
module SimulationBench
  module SequelPoolSize
    class Pool
      def initialize(max)
        @lock = Monitor.new
        @max = max
        @all = []
      end

      def acquire = room? && add

      def size = @lock.synchronize { @all.size }

      private

      def room? = @lock.synchronize { @all.size < @max }

      def add = @lock.synchronize { @all.push(Object.new) }
    end

    class LockedPool < Pool
      def acquire = @lock.synchronize { super }
    end

    def self.run(pool)
      Array.new(3) { Thread.new { pool.acquire } }.each(&:join)
      SimulationBench.check(pool.size == 2, "#{pool.size} connections, but the maximum is 2")
    end
  end

  model "sequel_pool_size", source: "sequel 526ba213b", fault: "check and add in two locked blocks",
    needs: [:preempt], buggy: ->(_sim) { SequelPoolSize.run(SequelPoolSize::Pool.new(2)) },
    fixed: ->(_sim) { SequelPoolSize.run(SequelPoolSize::LockedPool.new(2)) }
end
