# frozen_string_literal: true

require "socket"
require_relative "frame"
require_relative "frame_socket"
require_relative "hpack_decoder"

module TestSupport
  module HTTP2
    # A whole response: trailers are nil when the body's end came without any.
    Response = Struct.new(:status, :fields, :body, :trailers) do
      def [](name) = fields.assoc(name)&.last
    end

    # The client's end of one connection. It sends the frames it is given, valid or not, and keeps
    # those that come until a test takes them. It answers SETTINGS and PING by itself.
    class Connection
      include Frames

      # A frame did not come: the server has ended the connection.
      class Closed < Error; end

      # @yieldparam connection [Connection] after {#greet}
      def self.open(port, settings: {}, **)
        connection = new(TCPSocket.new("127.0.0.1", port), **)
        connection.greet(settings)
        return connection unless block_given?

        begin
          yield connection
        ensure
          connection.close
        end
      end

      attr_reader :socket, :decoder
      # @return [Boolean] whether windows are opened again by the bytes of each DATA frame
      attr_accessor :refill
      # @return [Boolean] whether PING of the server is answered
      attr_accessor :answer_pings
      # @return [Hash{Integer => Integer}] the server's settings
      attr_reader :peer_settings

      # @param io [IO, OpenSSL::SSL::SSLSocket]
      # @param piecewise [Boolean] deliver byte by byte
      # @param patience [Numeric] seconds to wait for a frame; only ends a test that fails
      def initialize(io, piecewise: false, patience: FrameSocket::PATIENCE)
        @socket = io
        @frames = FrameSocket.new(io, piecewise:, patience:)
        @inbox = []
        @decoder = HPACK::Decoder.new
        @peer_settings = {}
        @answer_pings = true
      end

      # Sends the preface and SETTINGS, and waits until both ends have acknowledged them.
      def greet(values = {})
        write(PREFACE, settings(**values))
        take(:settings) { |frame| !frame.flag?(:ack) }
        take(:settings) { |frame| frame.flag?(:ack) }
        self
      end

      # @param items [Array<Frame, String>]
      def write(*items)
        @frames.write(items.join)
        self
      end

      # A request without a body, unless the flags say otherwise.
      def request(stream, path = "/", method: "GET", fields: [], flags: %i[end_headers end_stream])
        write(headers(stream, request_fields(path, method:) + fields, flags:))
      end

      def request_fields(path = "/", method: "GET")
        [[":method", method], [":scheme", "http"], [":path", path], [":authority", "localhost"]]
      end

      # @return [Frame] the first one of this kind, of those kept and those to come
      # @raise [Closed]
      def take(type = nil, stream: nil)
        take_one do |frame|
          (type.nil? || frame.type == type) && (stream.nil? || frame.stream == stream) &&
            (!block_given? || yield(frame))
        end
      end

      # @return [Response] final, without those before
      # @raise [Error] when the stream is reset
      def response(stream)
        head = take_one { |frame| frame.stream == stream && head?(frame) }
        raise Error, "stream #{stream} is reset: #{head.error}" if head.type == :rst_stream

        body, trailers = head.flag?(:end_stream) ? ["".b, nil] : body(stream)
        fields = head.fields.reject { |name, _| name.start_with?(":") }
        Response.new(head.fields.assoc(":status").last.to_i, fields, body, trailers)
      end

      def get(stream, path = "/", **)
        request(stream, path, **)
        response(stream)
      end

      # Waits for the acknowledgement of a PING.
      def ping_pong(bytes = "liveness")
        write(ping(bytes))
        take(:ping) { |frame| frame.flag?(:ack) && frame.payload == bytes }
      end

      # @return [Array<Frame>] those kept and all to come, until the server ends the connection
      def rest
        nil while receive
        @inbox.slice!(0..)
      end

      # @return [Frame, nil] the last GOAWAY before the server ends the connection
      def goaway_at_end = rest.reverse.find { |frame| frame.type == :goaway }

      def close = @socket.close

      private

      def head?(frame)
        frame.type == :rst_stream ||
          (frame.type == :headers && !frame.fields.assoc(":status")&.last.to_s.start_with?("1"))
      end

      def body(stream)
        body = "".b
        loop do
          frame = take_one { |one| one.stream == stream && one.type != :window_update }
          case frame.type
          when :data then body << frame.content
          when :headers then return [body, frame.fields]
          when :rst_stream then raise Error, "stream #{stream} is reset: #{frame.error}"
          end
          return [body, nil] if frame.flag?(:end_stream)
        end
      end

      def take_one(&)
        index = @inbox.index(&)
        return @inbox.delete_at(index) if index

        loop do
          raise Closed, "the connection ended after #{@inbox.map(&:inspect)}" unless receive
          return @inbox.pop if yield(@inbox.last)
        end
      end

      # @return [Boolean] whether a frame came
      def receive
        frame = @frames.read or return false
        decode(frame) if frame.type == :headers
        reply(frame)
        @inbox << frame
        true
      end

      def decode(frame)
        block = frame.content
        until frame.flag?(:end_headers)
          more = @frames.read
          raise Error, "#{more.inspect} in a header block" if more&.type != :continuation
          block << more.payload
          frame.flags |= more.flags
        end
        frame.fields = @decoder.decode(block)
      end

      def reply(frame)
        case frame.type
        when :settings
          return if frame.flag?(:ack)
          @peer_settings = @peer_settings.merge(frame.settings)
          write(settings(flags: [:ack]))
        when :ping
          write(ping(frame.payload, flags: [:ack])) if answer_pings && !frame.flag?(:ack)
        when :data
          refill_windows(frame) if refill && !frame.payload.empty?
        end
      end

      def refill_windows(frame)
        size = frame.payload.bytesize
        write(window_update(0, size))
        write(window_update(frame.stream, size)) unless frame.flag?(:end_stream)
      end
    end
  end
end
