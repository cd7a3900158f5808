# frozen_string_literal: true

require "tempfile"

module Raffia
  class Server
    module HTTP
      # What has been read of a request's body, for apps that rewind it: up to {MEMORY} in memory;
      # beyond that in a file, if that was asked for.
      #
      # @api private
      class RewindBuffer
        # Bytes. Of a body that is longer nobody but an app made for Rack 2 should want the
        # beginning again.
        MEMORY = 64 * 1024
        # Bytes to read again at once.
        PIECE = 64 * 1024
        private_constant :MEMORY, :PIECE

        # @param whole [Boolean] whether longer bodies are to be kept as well
        def initialize(whole)
          @whole = whole
          @kept = "".b
          @size = 0
          @file = @position = nil
        end

        # @param piece [String] that the wire has delivered
        # @return [void]
        def keep(piece)
          @size += piece.bytesize
          if @file then @file.pwrite(piece, @size - piece.bytesize)
          elsif @kept.nil? then nil
          elsif @size > MEMORY then outgrow(piece)
          elsif @kept.empty? then @kept = piece.dup # they share their bytes, until one is changed
          else @kept << piece
          end
        end

        # @return [void]
        # @raise [Errno::ESPIPE] when the beginning has not been kept
        def rewind
          unless @kept || @file
            raise Errno::ESPIPE, "the beginning of this body was not kept: set rewindable_input, " \
              "or use Rack::RewindableInput"
          end

          @position = 0
        end

        # @return [Boolean] whether something is to be read again
        def again? = !@position.nil? && @position < @size

        # @return [String, nil] what is to be read again
        def next_piece
          return unless @position
          return @position = nil if @position >= @size

          piece = if @file
            @file.pread([PIECE, @size - @position].min, @position)
          else
            @kept.byteslice(@position, PIECE)
          end
          @position += piece.bytesize
          piece
        end

        # @return [void]
        def close
          @file&.close
          @file = nil
        end

        private

        def outgrow(piece)
          kept = @kept
          @kept = nil
          return unless @whole

          @file = Tempfile.new("raffia-input", binmode: true)
          @file.unlink
          @file.write(kept, piece)
          @file.flush
        end
      end
    end
  end
end
