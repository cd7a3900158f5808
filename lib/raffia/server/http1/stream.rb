# frozen_string_literal: true

require_relative "../error"
require_relative "../http/stream"

module Raffia
  class Server
    # HTTP/1.1 on a connection.
    #
    # @api private
    module HTTP1
      # An HTTP/1.1 connection, read and written in C. Implements {HTTP::Stream} for each request.
      #
      # @api private
      class Stream < Native::HTTP1
        # Bytes per read where sendfile(2) cannot be used.
        CHUNK = 64 * 1024
        private_constant :CHUNK

        # A connection that was moved is closed like others: its file stays open elsewhere.
        def close
          stay
          super
        end

        def multiplexed? = false

        def connection = self

        def body_ready? = pending? || body_read?

        def wait_readable(timeout)
          (io.respond_to?(:pending) && io.pending.positive?) || io.to_io.wait_readable(timeout)
        end

        def wait_writable(timeout) = io.to_io.wait_writable(timeout)

        def send_interim(status, headers) = (super unless begun?)

        def reset_response = !begun? || super

        def send_file(file, from, length)
          return super if native?

          file.seek(from)
          while length > 0 && (piece = file.read([length, CHUNK].min))
            write(piece)
            length -= piece.bytesize
          end
        end

        def begin_raw(status, headers, protocol = nil)
          if protocol && !upgrade?
            raise BadResponse, "the response switches to #{protocol}, " \
              "but the request did not ask for a switch"
          end

          super
        end

        def hijack
          stay
          self.write_buffer_limit = 0 # the buffer would not be sent
          flush
          push_back(unread)
          disable_keep_alive
          io
        end

        private

        # SSLSocket has only ungetc, which takes one character.
        def push_back(bytes)
          return if bytes.empty?
          return io.ungetbyte(bytes) if io.respond_to?(:ungetbyte)

          bytes.bytes.reverse_each { |byte| io.ungetc(byte) }
        end
      end
    end
  end
end
