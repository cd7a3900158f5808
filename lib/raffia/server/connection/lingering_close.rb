# frozen_string_literal: true

require "socket"

module Raffia
  class Server
    class Connection
      # Closes a connection that has unread input, so that the client still gets the last response.
      #
      # The kernel resets a socket that is closed with unread input. So the write side is shut
      # first, and input is read and dropped for a while.
      #
      # @api private
      class LingeringClose
        # Seconds of silence, and in all. A client does not read in the middle of an upload.
        SILENCE = 1
        LIMIT = 5
        private_constant :SILENCE, :LIMIT

        # `tls`: without a close_notify its peer takes the end for a truncation.
        def initialize(socket, tls = nil)
          @socket = socket
          @tls = tls
        end

        def run
          @tls&.__send__(:stop) # close_write, which openssl 3.2 does not have
          @socket.shutdown(Socket::SHUT_WR)
          buffer = +""
          finish = Clock.now + LIMIT
          while Clock.now < finish
            case @socket.read_nonblock(16_384, buffer, exception: false)
            when nil then return
            when :wait_readable then @socket.wait_readable(SILENCE) or return
            end
          end
        rescue SystemCallError, IOError
          nil
        end
      end
    end
  end
end
