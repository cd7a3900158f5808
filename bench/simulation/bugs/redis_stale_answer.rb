# frozen_string_literal: true

# redis-rb#501, #502 (also rails 5acf950c55f): Timeout strikes after the request was written; the
# connection goes back to the pool, and its next user reads the answer of that request. Fixed: a
# connection with an answer outstanding is thrown away.
require "timeout"

module SimulationBench
  module RedisStaleAnswer
    class Connection
      def initialize
        @requests = Queue.new
        @answers = Queue.new
        @server = Thread.new { serve }
      end

      def ask(question)
        @requests.push(question)
        @answers.pop
      end

      def close
        @requests.close
        @server.join
      end

      private

      def serve
        while (question = @requests.pop)
          sleep 0.001
          @answers.push("re: #{question}")
        end
      end
    end

    class Client
      def initialize = @connection = Connection.new

      def ask(question, limit)
        Timeout.timeout(limit) { @connection.ask(question) }
      rescue Timeout::Error
        recover
      end

      def close = @connection.close

      private

      def recover = nil
    end

    class ReconnectingClient < Client
      def recover
        @connection.close
        @connection = Connection.new
        nil
      end
    end

    def self.run(client)
      client.ask("first", 0.001)
      answer = client.ask("second", 1)
      client.close
      SimulationBench.check(answer == "re: second", "asked second, was told #{answer.inspect}")
    end
  end

  model "redis_stale_answer", source: "redis-rb#501, #502",
    fault: "connection reused after a timeout",
    needs: %i[interrupt time],
    buggy: ->(_sim) { RedisStaleAnswer.run(RedisStaleAnswer::Client.new) },
    fixed: ->(_sim) { RedisStaleAnswer.run(RedisStaleAnswer::ReconnectingClient.new) }
end
