# frozen_string_literal: true

require "socket"
require_relative "../../base/clock"

module Raffia
  class Server
    module HTTP1
      # Closing a socket that has unread input makes the kernel reset the connection, and then the
      # client may never see our last response. So we say that we send no more, and read what is
      # still coming, for a while.
      #
      # @api private
      class LingeringClose
        # Seconds of silence, and in all: who is in the middle of a big upload reads nothing before
        # it is through with it.
        PATIENCE = 1
        MOST = 5
        private_constant :PATIENCE, :MOST

        # @param socket [BasicSocket]
        # @param tls [OpenSSL::SSL::SSLSocket, nil] on it: its peer is told by close_notify, or it
        #   would take the end for a connection that was cut
        def initialize(socket, tls = nil)
          @socket = socket
          @tls = tls
        end

        def run
          @tls&.__send__(:stop) # close_write, which openssl 3.2 does not have
          @socket.shutdown(Socket::SHUT_WR)
          buffer = +""
          give_up = Clock.now + MOST
          while Clock.now < give_up
            case @socket.read_nonblock(16_384, buffer, exception: false)
            when nil then return
            when :wait_readable then @socket.wait_readable(PATIENCE) or return
            end
          end
        rescue SystemCallError, IOError
          nil
        end
      end
    end
  end
end
