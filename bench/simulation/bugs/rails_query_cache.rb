# frozen_string_literal: true

# rails#26666: a connection goes back to the pool with its query cache switched on; the next user
# reads a row from before its own write, which went over another connection. Fixed: the cache is
# cleared and off when the connection goes back.
module SimulationBench
  module RailsQueryCache
    class Connection
      def initialize(rows)
        @rows = rows
        @cache = {}
        @cached = false
      end

      def enable_cache = @cached = true

      def disable_cache
        @cached = false
        @cache.clear
      end

      def read(row)
        return @rows.fetch(row) unless @cached

        @cache.fetch(row) { @cache.store(row, @rows.fetch(row)) }
      end

      def write(row, value)
        @cache.clear
        @rows.store(row, value)
      end
    end

    class Pool
      def initialize(size)
        rows = {price: 1}
        @idle = Queue.new
        size.times { @idle.push(Connection.new(rows)) }
      end

      def with
        connection = @idle.pop
        yield connection
      ensure
        checkin(connection)
      end

      def checkin(connection) = @idle.push(connection)
    end

    class ResettingPool < Pool
      def checkin(connection)
        connection.disable_cache
        super
      end
    end

    module_function

    def cached_read(pool)
      pool.with do |connection|
        connection.enable_cache
        connection.read(:price)
      end
    end

    def run(pool)
      cached = Thread.new { cached_read(pool) }
      pool.with { |connection| connection.write(:price, 2) }
      price = pool.with { |connection| connection.read(:price) }
      cached.join
      SimulationBench.check(price == 2, "wrote 2, then read #{price}")
    end
  end

  model "rails_query_cache", source: "rails#26666", fault: "returned with its query cache on",
    needs: [:preempt], buggy: ->(_sim) { RailsQueryCache.run(RailsQueryCache::Pool.new(2)) },
    fixed: ->(_sim) { RailsQueryCache.run(RailsQueryCache::ResettingPool.new(2)) }
end
