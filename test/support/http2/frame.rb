# frozen_string_literal: true

module TestSupport
  module HTTP2
    # One frame (RFC 9113, section 4.1). Flags and payloads are whatever a test says, so a frame may
    # be malformed.
    Frame = Struct.new(:type, :flags, :stream, :payload) do
      # @param bytes [String] a whole frame's first nine bytes
      # @return [Array(Integer, Frame)] the length of its payload, and the frame without it
      def self.parse(bytes)
        high, low, type, flags, stream = bytes.unpack("CnCCN")
        [high << 16 | low, new(TYPES.fetch(type, type), flags, stream & 0x7fffffff, "".b)]
      end

      # @return [String] the bytes on the wire
      def to_s
        code = type.is_a?(Integer) ? type : TYPES.index(type)
        [payload.bytesize >> 16, payload.bytesize & 0xffff, code, flags, stream]
          .pack("CnCCN") << payload
      end

      # @return [Array<Array(String, String)>, nil] of HEADERS that were received
      attr_accessor :fields

      def flag?(name) = flags & FLAGS.fetch(name) != 0

      # @return [Symbol, Integer] of a RST_STREAM or GOAWAY
      def error
        number = payload.unpack1((type == :goaway) ? "x4N" : "N")
        ERRORS.fetch(number, number)
      end

      # @return [Integer] of a GOAWAY
      def last_stream = payload.unpack1("N") & 0x7fffffff

      # @return [Hash{Integer => Integer}] of a SETTINGS frame
      def settings = payload.unpack("nN" * (payload.bytesize / 6)).each_slice(2).to_h

      # @return [String] the payload of DATA or HEADERS, without padding and priority
      def content
        bytes = payload
        bytes = bytes.byteslice(1, bytes.bytesize - 1 - bytes.getbyte(0)) if flag?(:padded)
        (type == :headers && flag?(:priority)) ? bytes.byteslice(5..) : bytes
      end
    end

    TYPES = %i[data headers priority rst_stream settings push_promise ping goaway window_update
      continuation].freeze
    PRIORITY_UPDATE = 16
    FLAGS = {end_stream: 1, ack: 1, end_headers: 4, padded: 8, priority: 32}.freeze
    ERRORS = %i[no_error protocol_error internal_error flow_control_error settings_timeout
      stream_closed frame_size_error refused_stream cancel compression_error connect_error
      enhance_your_calm inadequate_security http_1_1_required].freeze
    SETTINGS = {header_table_size: 1, enable_push: 2, max_concurrent_streams: 3,
                initial_window_size: 4, max_frame_size: 5, max_header_list_size: 6,
                enable_connect_protocol: 8, no_rfc7540_priorities: 9}.freeze
    PREFACE = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"

    # Builds frames for tests, valid ones by default.
    module Frames
      module_function

      # @param flags [Array<Symbol>, Integer]
      def frame(type, stream = 0, payload = "", flags: [])
        flags = Array(flags).sum { |flag| FLAGS.fetch(flag) } unless flags.is_a?(Integer)
        Frame.new(type, flags, stream, payload.b)
      end

      def data(stream, payload = "", flags: [:end_stream]) = frame(:data, stream, payload, flags:)

      # @param block [String, Array] a header block, or the fields of one
      # @param priority [Array(Integer, Integer), nil] the stream it depends on, and the weight - 1
      # @param padding [Integer, nil]
      def headers(stream, block, flags: %i[end_headers end_stream], priority: nil, padding: nil)
        block = HPACK.encode(block) if block.is_a?(Array)
        flags += [:priority] if priority
        block = priority.pack("NC") << block if priority
        flags += [:padded] if padding
        block = [padding].pack("C") << block << "\0" * padding if padding
        frame(:headers, stream, block, flags:)
      end

      def continuation(stream, block, flags: [:end_headers])
        frame(:continuation, stream, block.is_a?(Array) ? HPACK.encode(block) : block, flags:)
      end

      def priority(stream, depends_on = 0, weight = 15)
        frame(:priority, stream, [depends_on, weight].pack("NC"))
      end

      def rst_stream(stream, error = :cancel)
        error = ERRORS.index(error) unless error.is_a?(Integer)
        frame(:rst_stream, stream, [error].pack("N"))
      end

      # @param values [Hash{Symbol, Integer => Integer}]
      def settings(flags: [], **values)
        pairs = values.flat_map { |name, value| [SETTINGS.fetch(name, name), value] }
        frame(:settings, 0, pairs.pack("nN" * values.size), flags:)
      end

      def ping(bytes = "raffia!?", flags: []) = frame(:ping, 0, bytes, flags:)

      def goaway(last_stream = 0, error = 0, debug = "")
        frame(:goaway, 0, [last_stream, error].pack("NN") << debug)
      end

      def window_update(stream, increment) = frame(:window_update, stream, [increment].pack("N"))

      # RFC 9218, section 7.1.
      def priority_update(stream, value = "u=1")
        frame(PRIORITY_UPDATE, 0, [stream].pack("N") << value)
      end
    end
  end
end
