# frozen_string_literal: true

require_relative "../server"
require_relative "worker/stream_loop"
require_relative "websocket/send_buffer"
require_relative "websocket/origin_policy"
require_relative "websocket/driver_adapter"
require_relative "websocket/handshake"

module Raffia
  class Server
    # A WebSocket (RFC 6455), in a fiber of its own: it reads and writes where the code stands, and
    # waits there. The gem websocket-driver does the framing; without it this file cannot be loaded
    # (MissingDependency says so).
    #
    # @example an echo, as a Rack app
    #   run do |env|
    #     Raffia::Server::WebSocket.open(env) { |socket| socket.each { |message| socket.write(message) } }
    #   end
    #
    # A message is a String: one in binary encoding is a binary message, any other is text, in
    # UTF-8. {#read} belongs to one fiber; {#write}, {#push} and {#close} may be called by all
    # fibers of its thread.
    #
    # Reading is what notices that the peer speaks, closes or has gone; who only writes spawns a
    # task that reads: `socket.each { }`.
    class WebSocket
      # A peer that takes nothing for so long, or does not answer a close, is gone.
      CLOSE_TIMEOUT = 5
      # How much is read at a time. What the peer sends beyond it waits in the kernel, so a peer
      # cannot outrun the app.
      CHUNK = 16 * 1024
      # RFC 6455, 7.4.1: for nobody to send, it says that the connection ended without a close.
      ABNORMAL = 1006
      GOING_AWAY = "going away"
      private_constant :CLOSE_TIMEOUT, :CHUNK, :ABNORMAL, :GOING_AWAY

      # Answers a request for a WebSocket, by a Rack response: the block runs when the server has
      # switched protocols, and when it ends the socket is closed: with 1000, or with 1011 if it
      # raised, or 1001 if it was cancelled.
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
        backlog: 1024 * 1024, write_timeout: 30,
        extensions: [], headers: {}, &block)
        raise ConfigError, "WebSocket.open needs a block: the conversation" unless block

        handshake = Handshake.new(env, protocols: protocols, origins: origins)
        handshake.respond(headers) do
          protocol = DriverAdapter.new(env, max_message: max_message, protocols: protocols,
            extensions: extensions)
          drain, hijack = env.values_at("raffia.drain", "rack.hijack")
          serve = lambda do |stream|
            # A middleware may have wrapped it (Rack::Lint does) in what cannot wait; the socket is
            # still the app's.
            io = stream.respond_to?(:read_nonblock) ? stream : hijack.call
            Worker::StreamLoop.run(drain) do |farewells|
              new(io, protocol, SendBuffer.new(io, backlog, write_timeout), ping)
                .serve(farewells, &block)
            end
          end
          [protocol, serve]
        end
      end

      # @return [Boolean] whether the request asks for a WebSocket
      def self.request?(env) = Handshake.asked?(env)

      # @return [String, nil] the subprotocol that both speak
      attr_reader :protocol
      # @return [Integer, nil] why it was closed: the peer's code, or ours; 1006 when the peer went
      #   without a word
      attr_reader :close_code
      # @return [String, nil]
      attr_reader :close_reason

      # @api private
      def initialize(io, framing, outbox, ping)
        @io = io
        @framing = framing
        @outbox = outbox
        @ping = ping
        @protocol = framing.protocol
        @inbox = nil
        @heard = 0
        framing.attach(outbox, self)
      end

      # @return [String, nil] the next message, waited for; nil: the socket is closed
      def read
        until (message = @inbox&.shift)
          return if closed? && !@framing.held?

          receive
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

        @outbox.await_room
        @framing.message(message) or raise Closed, "the WebSocket is closing"
        self
      end

      # Sends a message if there is room for it, and never waits: for one message to many sockets,
      # of which some are slow.
      # @return [Boolean] false: the backlog is full, or the socket is closed
      def push(message)
        !closed? && @outbox.room? && @framing.message(message)
      end

      # Says that this is the end; what the peer had sent before can still be read.
      # @param code [Integer] 1000, or one of 3000 to 4999
      # @return [void]
      def close(code = 1000, reason = "")
        @deadline ||= Clock.now + CLOSE_TIMEOUT
        @framing.close(code, reason)
        @wait&.cancel(:closing) # who reads has less patience from now on
        nil
      end

      # @return [Boolean] whether either side has closed it
      def closed? = !!@close_code || @outbox.failed?

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
        raise unless closed? # somebody else's
      rescue
        close(1011, "unexpected condition")
        raise
      ensure
        draining&.cancel
        Raffia.shield { part }
      end

      private

      # One look at what the peer sends: at most a chunk, and of that at most a message.
      def receive
        return @framing.resume if @framing.held?
        # a peer that only speaks does not answer a close either
        return lost if @deadline && Clock.now >= @deadline

        case bytes = take
        when String then hear(bytes)
        when nil then lost
        else
          @heard = 0
          silence unless await(bytes)
        end
      end

      # Where a peer never pauses, others get a turn, and who waits for the network does too: hence
      # a sleep.
      def hear(bytes)
        @asked = false
        @framing.parse(bytes)
        return if (@heard += bytes.bytesize) < CHUNK

        @heard = 0
        sleep(0)
      end

      # @param event [Symbol] as the socket says: wait_readable, or wait_writable in the middle of
      #   TLS's own talk
      def await(event)
        CancellationStack.enter(self) do |wait|
          @wait = wait
          @io.to_io.public_send(event, patience)
        end
      rescue Cancel => cancel
        cancel.origin.equal?(self) || raise
      ensure
        @wait = nil
      end

      def take
        @io.read_nonblock(CHUNK, exception: false)
      rescue # Errno, IOError, OpenSSL's: gone is gone
        nil
      end

      # @return [Numeric, nil] seconds until silence means something
      def patience = @deadline ? [@deadline - Clock.now, 0].max : @ping

      def silence
        return lost if @asked || @deadline

        @asked = true
        @framing.ping
      end

      def lost = closed(ABNORMAL, "the peer has gone")

      # The one who closes waits for the other's word, but not for ever.
      def part
        @deadline ||= Clock.now + CLOSE_TIMEOUT
        until closed?
          receive
          @inbox = nil
        end
        @outbox.finish(CLOSE_TIMEOUT)
      end
    end
  end
end
