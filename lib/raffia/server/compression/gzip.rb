# frozen_string_literal: true

require "zlib"

module Raffia
  class Server
    class Compression
      # Encodes as gzip (RFC 1952), without a time, so that equal bodies have equal bytes.
      #
      # @api private
      class Gzip
        LEVEL = 5
        # Window bits of zlib: with gzip's frame, and without any.
        FRAMED = 31
        RAW = -15
        # Compressors kept for whole bodies: their tables cost more than a short body.
        KEPT = 4
        # Head with the flag of a file name: no time, no further flags, Unix.
        HEAD = [0x1f, 0x8b, 8, 8, 0, 0, 3].pack("CCCCVCC").freeze
        NAME = "gzip"
        private_constant :LEVEL, :FRAMED, :RAW, :KEPT, :HEAD

        # `jitter`: most bytes of a random file name in the head, so that the length of a body tells
        # less about it (BREACH); 0: none.
        def initialize(jitter = 0)
          @jitter = jitter
          @kept = []
        end

        def name = NAME

        def compress(body)
          return framed(body) if @jitter.positive?

          deflate = @kept.pop || ::Zlib::Deflate.new(LEVEL, FRAMED)
          bytes = deflate.deflate(body, ::Zlib::FINISH)
          deflate.reset
          (@kept.size < KEPT) ? @kept.push(deflate) : deflate.close
          bytes
        end

        # An encoder for a body that comes in pieces.
        def stream = Stream.new(*(head if @jitter.positive?))

        private

        def head
          length = ::Random.rand(@jitter + 1)
          "#{HEAD}#{Array.new(length) { ::Random.rand(97..122) }.pack("C*")}\0".b
        end

        def framed(body)
          stream = self.stream
          stream.write(body) << stream.finish
        ensure
          stream&.close
        end

        # Pieces of one body. With a `head` of ours the check sum is ours, too.
        class Stream
          def initialize(head = nil)
            @head = head
            @crc = @size = 0
            @deflate = ::Zlib::Deflate.new(LEVEL, head ? RAW : FRAMED)
          end

          def write(piece)
            return @deflate.deflate(piece) unless @crc && framed?

            @crc = ::Zlib.crc32(piece, @crc)
            @size += piece.bytesize
            begun(@deflate.deflate(piece))
          end

          def flush = @deflate.flush(::Zlib::SYNC_FLUSH)

          def finish
            rest = @deflate.finish
            framed? ? begun(rest) << [@crc, @size & 0xffffffff].pack("VV") : rest
          end

          # Gives back zlib's memory, whether the body has ended or not.
          def close
            return if @deflate.closed?

            @deflate.reset
            @deflate.close
          end

          private

          def framed? = !@head.nil?

          def begun(bytes)
            return bytes if @head.empty?

            bytes = @head + bytes
            @head = ""
            bytes
          end
        end
        private_constant :Stream
      end
    end
  end
end
