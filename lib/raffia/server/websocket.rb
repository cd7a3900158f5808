# frozen_string_literal: true

require_relative "../server"
require_relative "worker/stream_loop"
require_relative "websocket/send_buffer"
require_relative "websocket/driver_adapter"
require_relative "websocket/handshake"
require_relative "websocket/receiver"

module Raffia
  class Server
    # A WebSocket (RFC 6455), in a fiber of its own: reads and writes wait. The gem websocket-driver
    # does the framing; without it, loading this file raises MissingDependency.
    #
    # @example an echo, as a Rack app
    #   run do |env|
    #     Raffia::Server::WebSocket.open(env) do |socket|
    #       socket.each { |message| socket.write(message) }
    #     end
    #   end
    #
    # A message is a String: one in binary encoding is a binary message, any other is text, in
    # UTF-8. {#read} belongs to one fiber; {#write}, {#push} and {#close} may be called by all
    # fibers of its thread.
    #
    # Only reading notices that the peer speaks, closes or has gone. To only write, spawn a
    # task that reads: `socket.each { }`.
    class WebSocket
      # Seconds in which a peer must answer a close and take what is left.
      CLOSE_TIMEOUT = 5
      # How much is read at a time. What the peer sends beyond it waits in the kernel, so a peer
      # cannot outrun the app.
      CHUNK = 16 * 1024
      # RFC 6455, 7.4.1: the connection ended without a close. It is never sent.
      ABNORMAL = 1006
      GOING_AWAY = "going away"
      private_constant :CLOSE_TIMEOUT, :ABNORMAL, :GOING_AWAY

      # Returns the Rack response for a WebSocket. The block runs after the server has switched
      # protocols. When it ends the socket is closed: with 1000, with 1011 if it raised, with 1001
      # if it was cancelled.
      #
      # @param env [Hash] the request's
      # @param protocols [Array<String>] subprotocols that the app speaks, the preferred first; the
      #   first that the client offers too is {#protocol}
      # @param origins [Array<String>, Symbol, nil] whose pages may connect, such as
      #   "https://example.com"; nil: the page's host must be the request's; :any. Programs that are
      #   no browsers send no origin, and may connect
      # @param max_message [Integer] bytes of a message from the peer; one that is longer closes
      #   with 1009
      # @param ping [Numeric, nil] seconds without a word from the peer, after which it is asked;
      #   after as long again it is gone
      # @param backlog [Integer] bytes that may wait for a slow reader: then {#write} waits and
      #   {#push} refuses
      # @param write_timeout [Numeric] seconds in which a peer has to take something of the backlog,
      #   or it is gone
      # @param extensions [Array] extensions of websocket-driver, such as PermessageDeflate of the
      #   gem permessage_deflate. Note that max_message is checked after that has inflated a message
      # @param headers [Hash] more response headers
      # @yieldparam socket [WebSocket]
      # @return [Array] status, headers, body; 426, 400 or 403 when it is not such a request, or
      #   must not be one
      def self.open(env, protocols: [], origins: nil, max_message: 1024 * 1024, ping: 30,
        backlog: 1024 * 1024, write_timeout: 30, extensions: [], headers: {}, &block)
        raise ConfigError, "WebSocket.open needs a block: the conversation" unless block

        handshake = Handshake.new(env, origins)
        handshake.respond(headers) do
          driver = DriverAdapter.new(env, max_message: max_message, protocols: protocols,
            extensions: extensions)
          drain, hijack = env.values_at("raffia.drain", "rack.hijack")
          serve = lambda do |stream|
            # A middleware such as Rack::Lint may have wrapped it in an object that cannot wait.
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

      # @return [String, nil] the subprotocol that both speak
      attr_reader :protocol
      # @return [Integer, nil] the peer's code, or ours; 1006 when the peer left without a close
      attr_reader :close_code
      # @return [String, nil]
      attr_reader :close_reason

      # @api private
      def initialize(io, driver, send_buffer, ping)
        @driver = driver
        @send_buffer = send_buffer
        @protocol = driver.protocol
        @inbox = nil
        @receiver = Receiver.new(io, driver, ping) { closed(ABNORMAL, "the peer has gone") }
        driver.attach(send_buffer, self)
      end

      # @return [String, nil] the next message, waited for; nil: the socket is closed
      def read
        until (message = @inbox&.shift)
          return if closed? && !@driver.paused?

          @receiver.receive
        end
        message
      end

      # @yieldparam message [String]
      # @return [void] when the socket is closed
      def each
        while (message = read)
          yield message
        end
      end

      # Sends a message, and waits while the backlog is full.
      # @return [self]
      # @raise [Closed] when the socket is closed, or the peer takes nothing
      # @raise [EncodingError] for a text that is not valid in its encoding
      def write(message)
        raise Closed, "the WebSocket is closed#{" (#{close_code})" if close_code}" if closed?

        @send_buffer.await_capacity
        @driver.message(message) or raise Closed, "the WebSocket is closing"
        self
      end

      # Sends a message if the backlog is not full, and never waits: for a message to many sockets,
      # some of them slow.
      # @return [Boolean] false: the backlog is full, or the socket is closed
      def push(message)
        !closed? && @send_buffer.capacity? && @driver.message(message)
      end

      # Closes the socket. What the peer has sent before can still be read.
      # @param code [Integer] 1000, or one of 3000 to 4999
      # @return [void]
      def close(code = 1000, reason = "")
        @driver.close(code, reason)
        @receiver.limit(CLOSE_TIMEOUT)
        nil
      end

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

      # Waits for the peer's close, and until the last bytes are sent.
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
