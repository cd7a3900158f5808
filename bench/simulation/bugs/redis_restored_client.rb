# frozen_string_literal: true

# redis-rb#945: a block runs with another client, and `ensure` restores the old one from a local; an
# interrupt before the local was set restores nil, for ever. Fixed: read it before the clause.
module SimulationBench
  module RedisRestoredClient
    class Cancelled < StandardError; end

    class Redis
      def initialize = @client = :connection

      def pipelined
        original = current_client
        @client = []
        yield
      ensure
        @client = original
      end

      def current_client = @client
    end

    class FixedRedis < Redis
      def pipelined
        original = current_client
        begin
          @client = []
          yield
        ensure
          @client = original
        end
      end
    end

    def self.run(redis)
      worker = Thread.new { redis.pipelined { redis.current_client.push(:get) } }
      Thread.pass
      worker.raise(Cancelled)
      begin
        worker.join
      rescue Cancelled
        nil
      end
      SimulationBench.check(redis.current_client, "the client is nil from now on")
    end
  end

  model "redis_restored_client", source: "redis-rb#945", fault: "ensure restores an unset local",
    needs: [:interrupt],
    buggy: ->(_sim) { RedisRestoredClient.run(RedisRestoredClient::Redis.new) },
    fixed: ->(_sim) { RedisRestoredClient.run(RedisRestoredClient::FixedRedis.new) }
end
