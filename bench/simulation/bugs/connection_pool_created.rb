# frozen_string_literal: true

# connection_pool b827403: the pool counts a connection before it makes it; the server refuses, and
# the place in the pool is lost. Fixed: count what was made.
module SimulationBench
  module ConnectionPoolCreated
    class Pool
      def initialize(max, &create)
        @lock = Mutex.new
        @returned = ConditionVariable.new
        @max = max
        @created = 0
        @idle = []
        @create = create
      end

      def with
        connection = @lock.synchronize { checkout }
        yield connection
      ensure
        @lock.synchronize { checkin(connection) } if connection
      end

      private

      def checkout
        @returned.wait(@lock) while @idle.empty? && @created == @max
        @idle.pop || create
      end

      def create
        @created += 1
        @create.call
      end

      def checkin(connection)
        @idle.push(connection)
        @returned.signal
      end
    end

    class CountingPool < Pool
      def create = @create.call.tap { @created += 1 }
    end

    def self.run(type, sim)
      pool = type.new(1) { sim.fault(:connect) ? raise(Errno::ECONNREFUSED) : :connection }
      Array.new(2) { Thread.new { try(pool) } }.each(&:join)
    end

    def self.try(pool)
      pool.with { |connection| connection.to_s }
    rescue Errno::ECONNREFUSED
      nil
    end
  end

  model "connection_pool_created", source: "connection_pool b827403",
    fault: "a refused connection is counted", needs: [:fault], stress: false,
    buggy: ->(sim) { ConnectionPoolCreated.run(ConnectionPoolCreated::Pool, sim) },
    fixed: ->(sim) { ConnectionPoolCreated.run(ConnectionPoolCreated::CountingPool, sim) }
end
