# frozen_string_literal: true

module Raffia
  class Server
    class Static
      # A part of an open file. Raffia sends it by sendfile(2); other servers, and a Rack::Lint in
      # between, call `each`.
      #
      # @api private
      class FileBody
        # Bytes.
        CHUNK = 64 * 1024
        private_constant :CHUNK

        # @return [File]
        attr_reader :file
        # @return [Integer] bytes
        attr_reader :from, :size

        def initialize(file, from, size)
          @file = file
          @from = from
          @size = size
        end

        # @yieldparam piece [String]
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
