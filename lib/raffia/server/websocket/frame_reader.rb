# frozen_string_literal: true

module Raffia
  class Server
    class WebSocket
      # Splits bytes at frame boundaries (RFC 6455, 5.2), to parse one frame at a time. Also finds
      # violations for which websocket-driver sends a wrong close code.
      #
      # @api private
      class FrameReader
        PROTOCOL_ERROR = 1002
        INVALID_DATA = 1007
        CLOSE = 8
        # The driver refuses longer control frames.
        CONTROL_LIMIT = 125
        MASK = 4
        private_constant :PROTOCOL_ERROR, :INVALID_DATA, :CLOSE, :CONTROL_LIMIT, :MASK

        # Close the connection with this code.
        class Violation < StandardError
          attr_reader :code

          def initialize(code, reason)
            @code = code
            super(reason)
          end
        end

        def initialize
          @bytes = "".b
          @at = @left = 0
        end

        def push(bytes)
          @bytes = (@at == @bytes.bytesize) ? bytes : @bytes.byteslice(@at..) << bytes
          @at = 0
        end

        # A frame, or the available part of a long one; nil: wait for more bytes.
        def next
          size = @left.positive? ? @left : frame or return
          piece = @bytes.byteslice(@at, size)
          return if piece.empty?

          @at += piece.bytesize
          @left = size - piece.bytesize
          piece
        end

        private

        # Bytes of the frame that begins here; nil: not known yet.
        def frame
          first, second = @bytes.getbyte(@at), @bytes.getbyte(@at + 1)
          return unless second
          raise Violation.new(PROTOCOL_ERROR, "a frame is not masked") if second < 128

          head, length = lengths(second & 127)
          return unless length
          return head + length unless first & 15 == CLOSE && length <= CONTROL_LIMIT

          close(head, length)
        end

        # Bytes of head and payload; a nil payload is not known yet.
        def lengths(short)
          return [2 + MASK, short] if short < 126

          extra, format = (short == 126) ? [2, "S>"] : [8, "Q>"]
          known = @bytes.bytesize >= @at + 2 + extra
          [2 + extra + MASK, (@bytes.unpack1(format, offset: @at + 2) if known)]
        end

        def close(head, length)
          return if @bytes.bytesize < @at + head + length

          key, payload = @bytes.byteslice(@at + head - MASK, MASK + length).unpack("a4a*")
          return head + length if utf8?(payload.bytes.zip(key.bytes.cycle).map { |a, b| a ^ b })

          raise Violation.new(INVALID_DATA, "the reason of a close is not UTF-8")
        end

        # Two bytes of code precede the reason.
        def utf8?(bytes) = bytes.drop(2).pack("C*").force_encoding(Encoding::UTF_8).valid_encoding?
      end
      private_constant :FrameReader
    end
  end
end
