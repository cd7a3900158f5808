# frozen_string_literal: true

require "tempfile"

module Raffia
  class Server
    module HTTP
      # Keeps what was read of a request's body, for applications that rewind it: the first {MEMORY}
      # bytes in memory, and longer bodies in a file, if that is asked for.
      #
      # @api private
      class RewindBuffer
        # Bytes. Only applications for Rack 2 should rewind longer bodies.
        MEMORY = 64 * 1024
        # Bytes that are read again at once.
        CHUNK = 64 * 1024
        private_constant :MEMORY, :CHUNK

        # @param whole [Boolean] whether longer bodies are kept, too
        def initialize(whole)
          @whole = whole
          @memory = "".b
          @size = 0
          @file = @position = nil
        end

        # @param piece [String] the next one from the stream
        def keep(piece)
          @size += piece.bytesize
          if @file then @file.pwrite(piece, @size - piece.bytesize)
          elsif @memory.nil? then nil
          elsif @size > MEMORY then overflow(piece)
          elsif @memory.empty? then @memory = piece.dup # shares its bytes until one is changed
          else @memory << piece
          end
        end

        # @raise [Errno::ESPIPE] when the beginning was not kept
        def rewind
          unless @memory || @file
            raise Errno::ESPIPE, "the beginning of this body was not kept: " \
              "set rewindable_input, or use Rack::RewindableInput"
          end

          @position = 0
        end

        # @return [Boolean] whether there is something to read again
        def again? = !@position.nil? && @position < @size

        # @return [String, nil] the next bytes to read again
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
          return @memory.byteslice(position, CHUNK) unless @file

          @file.pread([CHUNK, @size - position].min, position)
        end

        def overflow(piece)
          memory = @memory
          @memory = nil
          return unless @whole

          @file = Tempfile.new("raffia-input", binmode: true)
          @file.unlink
          @file.write(memory, piece)
          @file.flush
        end
      end
    end
  end
end
