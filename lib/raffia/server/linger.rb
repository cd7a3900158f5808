# frozen_string_literal: true

require "socket"

module Raffia
  class Server
    # Closing a socket that has unread input makes the kernel reset the connection, and then the client may never see our last
    # response. So we say that we send no more, and read what is still coming, for a while.
    #
    # @api private
    class Linger
      # Seconds, and bytes.
      PATIENCE = 1
      MOST = 1024 * 1024
      private_constant :PATIENCE, :MOST

      def initialize(socket)
        @socket = socket
      end

      def run
        @socket.shutdown(Socket::SHUT_WR)
        buffer = +""
        read = 0
        while read < MOST
          case @socket.read_nonblock(16_384, buffer, exception: false)
          when nil then return
          when :wait_readable then @socket.wait_readable(PATIENCE) or return
          else read += buffer.bytesize
          end
        end
      rescue SystemCallError, IOError
        nil
      end
    end
  end
end
