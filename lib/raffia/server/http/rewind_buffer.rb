# frozen_string_literal: true

require "tempfile"

module Raffia
  class Server
    module HTTP
      # Keeps the read part of a request's body for `rewind`: {MEMORY} bytes, and with `whole`
      # longer bodies in a file.
      #
      # @api private
      class RewindBuffer
        # Bytes. Only Rack 2 applications should rewind longer bodies.
        MEMORY = 64 * 1024
        # Bytes per read.
        CHUNK = 64 * 1024
        private_constant :MEMORY, :CHUNK

        def initialize(whole)
          @whole = whole
          @pieces = []
          @size = 0
          @file = @position = nil
        end

        def keep(piece)
          @size += piece.bytesize
          if @file then @file.pwrite(piece, @size - piece.bytesize)
          elsif @pieces.nil? then nil
          elsif @size > MEMORY then overflow(piece)
          else @pieces << piece.dup # shares its bytes until one is changed
          end
        end

        def rewind
          unless @pieces || @file
            raise Errno::ESPIPE, "the beginning of this body was not kept: " \
              "set rewindable_input, or use Rack::RewindableInput"
          end

          @position = 0
        end

        def again? = !@position.nil? && @position < @size

        def next_piece
          return unless @position
          return @position = nil if @position >= @size

          piece = read_at(@position)
          @position += piece.bytesize
          piece
        end

        def close
          @file&.close
          @file = nil
        end

        private

        def read_at(position)
          unless @file
            @pieces = [@pieces.join] if @pieces.size > 1
            return @pieces.first.byteslice(position, CHUNK)
          end

          @file.pread([CHUNK, @size - position].min, position)
        end

        def overflow(piece)
          pieces = @pieces
          @pieces = nil
          return unless @whole

          @file = Tempfile.new("raffia-input", binmode: true)
          @file.unlink
          @file.write(*pieces, piece)
          @file.flush
        end
      end
    end
  end
end
