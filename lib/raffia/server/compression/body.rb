# frozen_string_literal: true

require_relative "encoder"

module Raffia
  class Server
    class Compression
      # A Rack body that is encoded while it is sent.
      #
      # @api private
      class Body
        # Bytes per read of a file, pipe or socket.
        CHUNK = 64 * 1024
        private_constant :CHUNK

        # `flush`: whether the client shall be able to decode each piece when it comes.
        def initialize(body, coding, flush:)
          @body = body
          @coding = coding
          @flush = flush
        end

        def each
          encoder = Encoder.new(@coding)
          each_piece do |piece|
            bytes = encoder.encode(piece, @flush)
            yield bytes unless bytes.empty?
          end
          yield encoder.finish
        ensure
          encoder&.close
        end

        def close = (@body.close if @body.respond_to?(:close))

        private

        # Lines of a file are too short, and waiting for a whole line of a pipe could take long.
        def each_piece(&)
          return @body.each(&) unless @body.is_a?(::IO)

          buffer = +""
          yield @body.readpartial(CHUNK, buffer) until @body.closed?
        rescue EOFError
          raise unless @body.is_a?(::IO)
        end
      end
    end
  end
end
