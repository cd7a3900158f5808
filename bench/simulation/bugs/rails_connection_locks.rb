# frozen_string_literal: true

# rails#45994, fixed by #46661: a thread that returns its connection holds the connection's lock and
# takes the pool's; the reaper holds the pool's and takes the connection's. Fixed: the reaper
# collects under the pool's lock, and flushes after it.
module SimulationBench
  module RailsConnectionLocks
    class Pool
      def initialize
        @lock = Monitor.new
        @connections = [Connection.new(self)]
        @idle = []
      end

      def connection = @connections.fetch(0)

      def checkin(connection) = @lock.synchronize { @idle.push(connection) }

      def reap = @lock.synchronize { @connections.each(&:flush) }
    end

    class CollectingPool < Pool
      def reap = @lock.synchronize { @connections.dup }.each(&:flush)
    end

    class Connection
      def initialize(pool)
        @lock = Monitor.new
        @pool = pool
        @flushed = 0
      end

      def close
        @lock.synchronize do
          roll_back
          @pool.checkin(self)
        end
      end

      def flush = @lock.synchronize { @flushed += 1 }

      private

      def roll_back = nil
    end

    def self.run(pool)
      reaper = Thread.new { pool.reap }
      pool.connection.close
      reaper.join
    end
  end

  model "rails_connection_locks", source: "rails#45994",
    fault: "connection, then pool; pool, then connection",
    needs: [:preempt], buggy: ->(_sim) { RailsConnectionLocks.run(RailsConnectionLocks::Pool.new) },
    fixed: ->(_sim) { RailsConnectionLocks.run(RailsConnectionLocks::CollectingPool.new) }
end
