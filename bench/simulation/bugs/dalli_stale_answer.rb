# frozen_string_literal: true

# dalli#956 (also net-http-persistent#150): a request is written to a socket, Timeout strikes, and
# the next request on the socket reads the first one's answer. Fixed: close the socket, connect
# again.
require "socket"
require "timeout"

module SimulationBench
  module DalliStaleAnswer
    class Server
      attr_reader :port

      def initialize
        @server = TCPServer.new("127.0.0.1", 0)
        @port = @server.addr[1]
        @thread = Thread.new { serve until @stopped }
      end

      def stop
        TCPSocket.open("127.0.0.1", port) { |socket| socket.puts("stop") }
        @thread.join
        @server.close
      end

      private

      def serve
        socket = @server.accept
        while (line = socket.gets&.chomp)
          (line == "stop") ? @stopped = true : answer(socket, line)
        end
      rescue SystemCallError
        nil # the client closed while an answer was on its way
      ensure
        socket&.close
      end

      def answer(socket, line)
        sleep 0.001
        socket.puts("re: #{line}")
      end
    end

    class Client
      def initialize(port)
        @port = port
        connect
      end

      def ask(question, limit)
        Timeout.timeout(limit) do
          @socket.puts(question)
          @socket.gets&.chomp
        end
      rescue Timeout::Error
        recover
      end

      def close = @socket.close

      private

      def connect = @socket = TCPSocket.new("127.0.0.1", @port)

      def recover = nil
    end

    class ReconnectingClient < Client
      def recover
        close
        connect
        nil
      end
    end

    def self.run(type)
      server = Server.new
      client = type.new(server.port)
      client.ask("first", 0.001)
      answer = client.ask("second", 5)
      client.close
      server.stop
      SimulationBench.check(answer == "re: second", "asked second, was told #{answer.inspect}")
    end
  end

  model "dalli_stale_answer", source: "dalli#956", fault: "socket reused after a timeout",
    needs: %i[interrupt network time],
    buggy: ->(_sim) { DalliStaleAnswer.run(DalliStaleAnswer::Client) },
    fixed: ->(_sim) { DalliStaleAnswer.run(DalliStaleAnswer::ReconnectingClient) }
end
