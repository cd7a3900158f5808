# frozen_string_literal: true

require_relative "../server"
require_relative "worker/stream_loop"
require_relative "websocket/send_buffer"
require_relative "websocket/driver_adapter"
require_relative "websocket/handshake"
require_relative "websocket/receiver"

module Raffia
  class Server
    # A WebSocket (RFC 6455) in its own fiber: reads and writes wait. Needs the gem
    # websocket-driver.
    #
    # @example an echo, as a Rack app
    #   run do |env|
    #     Raffia::Server::WebSocket.open(env) do |socket|
    #       socket.each { |message| socket.write(message) }
    #     end
    #   end
    #
    # A message is a String: binary encoding for a binary message, any other for text. One fiber
    # calls {#read}; all fibers of its thread may call {#write}, {#push} and {#close}.
    #
    # Only reading notices what the peer sends, and that it has gone. An application that only
    # writes should spawn a task that reads: `socket.each { }`.
    class WebSocket
      # Seconds for the peer to answer a close and to take the rest.
      CLOSE_TIMEOUT = 5
      # Bytes per read. The rest waits in the kernel, so a peer cannot outrun the application.
      CHUNK = 16 * 1024
      # RFC 6455, 7.4.1: the connection ended without a close. Never sent.
      ABNORMAL = 1006
      GONE = "the peer has gone"
      GOING_AWAY = "going away"
      private_constant :CLOSE_TIMEOUT, :ABNORMAL, :GONE, :GOING_AWAY

      # Returns the Rack response for a WebSocket. The block runs after the switch of protocols. At
      # its end the socket is closed: with 1000, with 1011 after an error, with 1001 when it was
      # cancelled.
      #
      # @param protocols [Array<String>] subprotocols of the application, the preferred first
      # @param origins [Array<String>, Symbol, nil] pages that may connect, such as
      #   "https://example.com"; :any; nil: those of the request's host. Programs other than
      #   browsers send no origin, and may
      # @param max_message [Integer] bytes; a longer message closes with 1009
      # @param ping [Numeric, nil] seconds of silence before a ping; the peer is gone after as many
      #   more
      # @param backlog [Integer] bytes for a slow reader; beyond, {#write} waits and {#push} refuses
      # @param write_timeout [Numeric] seconds for the peer to take some of the backlog
      # @param extensions [Array] of websocket-driver, such as PermessageDeflate, which inflates a
      #   message before max_message is checked
      # @param headers [Hash] further response headers
      # @yieldparam socket [WebSocket]
      # @return [Array] status, headers, body; 400, 403, 426 or 501 for a request that is refused
      def self.open(env, protocols: [], origins: nil, max_message: 1024 * 1024, ping: 30,
        backlog: 1024 * 1024, write_timeout: 30, extensions: [], headers: {}, &block)
        raise ConfigError, "WebSocket.open needs a block: the conversation" unless block

        handshake = Handshake.new(env, origins)
        handshake.respond(headers) do
          driver = DriverAdapter.new(env, max_message: max_message, protocols: protocols,
            extensions: extensions)
          drain, hijack = env.values_at("raffia.drain", "rack.hijack")
          serve = lambda do |stream|
            # A middleware such as Rack::Lint may have wrapped the IO in an object that cannot wait.
            io = stream.respond_to?(:read_nonblock) ? stream : hijack.call
            Worker::StreamLoop.run(drain) do |loop_drain|
              new(io, driver, SendBuffer.new(io, backlog, write_timeout), ping)
                .serve(loop_drain, &block)
            end
          end
          [driver, serve]
        end
      end

      # @return [Boolean] whether the request asks for a WebSocket
      def self.request?(env) = Handshake.asked?(env)

      # @return [String, nil] the negotiated subprotocol
      attr_reader :protocol

      # @api private
      def initialize(io, driver, send_buffer, ping)
        @driver = driver
        @send_buffer = send_buffer
        @protocol = driver.protocol
        @inbox = nil
        @receiver = Receiver.new(io, driver, ping) { closed(ABNORMAL, GONE) }
        driver.attach(send_buffer, self)
      end

      # Waits for a message.
      # @return [String, nil] nil: the socket is closed
      def read
        until (message = @inbox&.shift)
          return if closed? && !@driver.paused?

          @receiver.receive
        end
        message
      end

      # Yields messages until the socket is closed.
      # @yieldparam message [String]
      def each
        while (message = read)
          yield message
        end
      end

      # Sends a message. Waits while the backlog is full.
      # @return [self]
      # @raise [Closed] when the socket is closed, or the peer takes nothing
      # @raise [EncodingError] for invalid text
      def write(message)
        raise Closed, "the WebSocket is closed#{" (#{close_code})" if close_code}" if closed?

        @send_buffer.await_capacity
        @driver.message(message) or raise Closed, "the WebSocket is closing"
        self
      end

      # Sends a message without waiting, for broadcasts that include slow sockets.
      # @return [Boolean] false: the backlog is full, or the socket is closed
      def push(message)
        !closed? && @send_buffer.capacity? && @driver.message(message)
      end

      # Closes the socket. Messages sent before can still be read.
      # @param code [Integer] 1000, or 3000 to 4999
      def close(code = 1000, reason = "")
        @driver.close(code, reason)
        @receiver.limit(CLOSE_TIMEOUT)
        nil
      end

      # @return [Integer, nil] 1006 when the peer left without a close, or took nothing in time
      def close_code = @close_code || (ABNORMAL if @send_buffer.failed?)

      # @return [String, nil]
      def close_reason = @close_reason || (GONE if @send_buffer.failed?)

      # @return [Boolean] whether either side has closed it
      def closed? = !!@close_code || @send_buffer.failed?

      # @api private
      def received(message) = (@inbox ||= []) << message

      # @api private
      def closed(code, reason)
        @close_code ||= code
        @close_reason ||= reason
      end

      # @api private
      def serve(drain)
        draining = drain&.call { close(1001, GOING_AWAY) }
        yield self
        close
      rescue Cancel
        close(1001, GOING_AWAY)
        raise
      rescue Closed
        raise unless closed? # another object's
      rescue
        close(1011, "unexpected condition")
        raise
      ensure
        draining&.cancel
        Raffia.shield { finish }
      end

      private

      # Waits for the peer's close, and for the last bytes.
      def finish
        @receiver.limit(CLOSE_TIMEOUT)
        until closed?
          @receiver.receive
          @inbox = nil
        end
        @send_buffer.finish(CLOSE_TIMEOUT)
      end
    end
  end
end
