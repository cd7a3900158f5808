# frozen_string_literal: true

require_relative "stream"

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
        def stream = Stream.new(::Brotli::Compressor.new(quality: QUALITY), :process)
      end
    end
  end
end
