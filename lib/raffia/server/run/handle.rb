# frozen_string_literal: true

require_relative "../../pool"

module Raffia
  class Server
    # A server that runs in a thread of this process.
    class Handle
      # @return [Array<Listen::Listener>]
      attr_reader :listeners

      # @param server [Server]
      # @raise [Exception] what kept it from starting
      def initialize(server)
        @alone = server.alone
        @listeners = @alone.listening.first
        @url = listeners.first.url
        @port = listeners.first.port
        start
      end

      # @return [String] of the first listener
      attr_reader :url
      # @return [Integer, nil] of the first listener; nil for a Unix socket
      attr_reader :port

      # Lets the requests in flight end, for at most `drain_timeout`, and waits for that.
      # @return [void]
      # @raise [Exception] what the server ended with, if it did
      def stop
        @alone.stop
        wait
      end

      # @return [void]
      # @raise [Exception] what the server ended with
      def wait
        @future.value
        nil
      ensure
        @pool.shutdown
      end

      private

      def start
        ready = ::Thread::Queue.new
        @pool = Pool.new(on: :threads, workers: 1, idle: nil)
        @future = @pool.submit { serve(ready) }
        wait unless ready.pop
      end

      # The queue is closed when it cannot start, so that nobody waits for it.
      def serve(ready)
        @alone.work { ready << true }
      ensure
        ready.close
      end
    end
  end
end
