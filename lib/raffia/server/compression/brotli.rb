# frozen_string_literal: true

module Raffia
  class Server
    class Compression
      # Encodes as br (RFC 7932) by the gem brotli.
      #
      # @api private
      class Brotli
        QUALITY = 4
        NAME = "br"
        private_constant :QUALITY

        def name = NAME

        def compress(body) = ::Brotli.deflate(body, quality: QUALITY, mode: :text)

        # An encoder for a body that comes in pieces.
        def stream = Stream.new

        # Pieces of one body.
        class Stream
          def initialize
            @compressor = ::Brotli::Compressor.new(quality: QUALITY)
          end

          def write(piece) = @compressor.process(piece)

          def flush = @compressor.flush

          def finish = @compressor.finish

          def close = @compressor = nil
        end
        private_constant :Stream
      end
    end
  end
end
