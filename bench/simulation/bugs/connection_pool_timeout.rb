# frozen_string_literal: true

# connection_pool#75 (also #67): Timeout strikes after the checkout and before `begin`, so nobody
# returns the connection. Fixed: interrupts wait, except while the caller's block runs.
require "timeout"

module SimulationBench
  module ConnectionPoolTimeout
    class Pool
      def initialize
        @available = Queue.new
        @available.push(:connection)
      end

      def size = @available.size

      def with
        connection = checkout
        begin
          yield connection
        ensure
          @available.push(connection)
        end
      end

      private

      def checkout = @available.pop
    end

    class MaskedPool < Pool
      def with
        Thread.handle_interrupt(Exception => :never) do
          super do |connection|
            Thread.handle_interrupt(Exception => :immediate) { yield connection }
          end
        end
      end
    end

    def self.run(pool)
      Array.new(2) { Thread.new { request(pool) } }.each(&:join)
      SimulationBench.check(pool.size == 1, "the connection did not come back to the pool")
    end

    def self.request(pool)
      Timeout.timeout(0.001) do
        sleep 0.001
        pool.with(&:to_s)
      end
    rescue Timeout::Error
      nil
    end
  end

  model "connection_pool_timeout", source: "connection_pool#75, #67",
    fault: "Timeout between checkout and `begin`", needs: %i[interrupt time],
    buggy: ->(_sim) { ConnectionPoolTimeout.run(ConnectionPoolTimeout::Pool.new) },
    fixed: ->(_sim) { ConnectionPoolTimeout.run(ConnectionPoolTimeout::MaskedPool.new) }
end
