# frozen_string_literal: true

# connection_pool#192: reload closes the idle connections and sets the count to zero, although some
# are out; the pool then has more than its maximum. Fixed: take off what was closed.
module SimulationBench
  module ConnectionPoolReload
    class Pool
      attr_reader :alive

      def initialize
        @lock = Mutex.new
        @returned = ConditionVariable.new
        @created = 0
        @alive = 0
        @idle = []
      end

      def with
        connection = checkout
        yield connection
      ensure
        checkin(connection)
      end

      def reload
        @lock.synchronize do
          closed = @idle.size
          @idle.clear
          @alive -= closed
          reset(closed)
        end
      end

      private

      def reset(_closed) = @created = 0

      def checkout
        @lock.synchronize do
          @returned.wait(@lock) while @idle.empty? && @created == 1
          @idle.pop || create
        end
      end

      def create
        @created += 1
        @alive += 1
        SimulationBench.check(@alive == 1, "#{@alive} connections, but the maximum is 1")
        :connection
      end

      def checkin(connection)
        @lock.synchronize do
          @idle.push(connection)
          @returned.signal
        end
      end
    end

    class SubtractingPool < Pool
      def reset(closed)
        @created -= closed
        @returned.broadcast
      end
    end

    def self.run(pool)
      users = Array.new(2) { Thread.new { pool.with { |connection| connection.to_s } } }
      pool.reload
      users.each(&:join)
    end
  end

  model "connection_pool_reload", source: "connection_pool#192",
    fault: "reload forgets connections in use", needs: [:preempt],
    buggy: ->(_sim) { ConnectionPoolReload.run(ConnectionPoolReload::Pool.new) },
    fixed: ->(_sim) { ConnectionPoolReload.run(ConnectionPoolReload::SubtractingPool.new) }
end
