# frozen_string_literal: true

module Raffia
  class Server
    class Compression
      # Encodes the pieces of one body by a compressor of a gem.
      #
      # @api private
      class Stream
        # `encode`: the compressor's method for a piece.
        def initialize(compressor, encode)
          @compressor = compressor
          @encode = encode
        end

        def write(piece) = @compressor.public_send(@encode, piece)

        def flush = @compressor.flush

        def finish = @compressor.finish

        # The compressor's memory is given back when it is collected.
        def close = @compressor = nil
      end
    end
  end
end
