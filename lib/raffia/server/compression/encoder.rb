# frozen_string_literal: true

module Raffia
  class Server
    class Compression
      # Encodes a body that comes in pieces. Long pieces are encoded on another thread while the
      # fiber waits, so they stay in order.
      #
      # @api private
      class Encoder
        # Bytes that are encoded in the fiber: the way to a thread and back costs as much.
        INLINE = 16 * 1024
        private_constant :INLINE

        # Runs the block, on another thread when there are that many bytes. An interrupt waits for
        # its end: the block uses memory of its own that is given back then.
        def self.run(size, &block)
          (size > INLINE) ? Raffia.shield { Raffia.offload(&block) } : yield
        end

        def initialize(coding)
          @stream = coding.stream
          @pending = 0
        end

        # Returns the bytes to send now; `flush`: all that the client needs for this piece.
        def encode(piece, flush)
          return "" if piece.empty?

          @pending = flush ? 0 : @pending + piece.bytesize
          Encoder.run(piece.bytesize) do
            bytes = @stream.write(piece)
            flush ? bytes << @stream.flush : bytes
          end
        end

        # Encodes what the library has kept until now, which may be megabytes.
        def finish = Encoder.run(@pending) { @stream.finish }

        # Gives back memory, whether the body has ended or not.
        def close = @stream.close
      end
    end
  end
end
