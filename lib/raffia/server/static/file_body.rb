# frozen_string_literal: true

module Raffia
  class Server
    class Static
      # A part of an open file. Raffia sends it by sendfile(2). Other servers and Rack::Lint call
      # `each`.
      #
      # @api private
      class FileBody
        # Bytes.
        CHUNK = 64 * 1024
        private_constant :CHUNK

        attr_reader :file, :from, :size

        def initialize(file, from, size)
          @file = file
          @from = from
          @size = size
        end

        def each
          at = from
          last = from + size
          while at < last
            piece = file.pread([last - at, CHUNK].min, at)
            yield piece
            at += piece.bytesize
          end
        end

        def close = file.close
      end
    end
  end
end
