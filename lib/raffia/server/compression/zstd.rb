# frozen_string_literal: true

require_relative "stream"

module Raffia
  class Server
    class Compression
      # Encodes as zstd (RFC 8878) by the gem zstd-ruby. The level's window is below the 8 MiB that
      # clients need to have (RFC 9659).
      #
      # @api private
      class Zstd
        LEVEL = 3
        NAME = "zstd"
        private_constant :LEVEL

        def name = NAME

        def compress(body) = ::Zstd.compress(body, level: LEVEL)

        # An encoder for a body that comes in pieces.
        def stream = Stream.new(::Zstd::StreamingCompress.new(level: LEVEL), :compress)
      end
    end
  end
end
