# frozen_string_literal: true

module Raffia
  class Server
    module HTTP2
      # The IO of another protocol on a stream (RFC 8441), with the methods of sockets that
      # {WebSocket} calls.
      #
      # @api private
      class Tunnel
        # RST_STREAM with this code is the reset of a socket.
        CANCEL = 8
        # Bytes that a stream which is writable takes without a wait.
        CHUNK = 8 * 1024
        private_constant :CANCEL, :CHUNK

        def initialize(stream)
          @stream = stream
          @closed = false
        end

        def to_io = self

        def read_nonblock(length, buffer = nil, exception: true)
          unless @stream.body_ready?
            return exception ? raise(::IO::EAGAINWaitReadable, "read would block") : :wait_readable
          end

          piece = @stream.read_body(length, 0)
          raise EOFError, "end of file reached" if piece.nil? && exception

          (piece && buffer) ? buffer.replace(piece) : piece
        end

        def readpartial(length, buffer = nil)
          wait_readable
          read_nonblock(length, buffer)
        end

        def write_nonblock(bytes, exception: true)
          unless @stream.writable?
            return exception ? raise(::IO::EAGAINWaitWritable, "write would block") : :wait_writable
          end

          @stream.write(bytes.byteslice(0, CHUNK))
        end

        def write(*strings) = strings.sum { |string| @stream.write(string.to_s) }

        def flush = self

        def wait_readable(timeout = nil) = (self if @stream.wait_readable(timeout))

        def wait_writable(timeout = nil) = (self if @stream.wait_writable(timeout))

        # Ends both directions, as a socket that is shut down.
        def shutdown(_how = nil) = @stream.reset(CANCEL)

        def close
          return if @closed

          @closed = true
          @stream.finish
          nil
        rescue Disconnected
          nil
        end

        def closed? = @closed
      end
    end
  end
end
