# frozen_string_literal: true

require "socket"

module Raffia
  class Server
    # Accepts what comes in at one listener.
    #
    # @api private
    class Acceptor
      # Seconds to wait when there are too many open files: until then some may have been closed.
      PAUSE = 0.1
      # What says nothing about the listener: the client has left again, or its network has.
      PASSING = [Errno::ECONNABORTED, Errno::EPROTO, Errno::EPERM, Errno::ENETDOWN, Errno::EHOSTDOWN, Errno::EHOSTUNREACH, Errno::ENETUNREACH].freeze
      SHORT = [Errno::EMFILE, Errno::ENFILE, Errno::ENOBUFS, Errno::ENOMEM].freeze
      private_constant :PAUSE, :PASSING, :SHORT

      def initialize(listener, worker)
        @listener = listener
        @worker = worker
        @short = false
      end

      # For ever.
      def run
        loop do
          @worker.await_room
          accept
        end
      end

      private

      def accept
        socket = @listener.socket.accept_nonblock(exception: false)
        return @listener.socket.wait_readable if socket == :wait_readable

        @short = false
        @worker.admit(socket, @listener)
      rescue *PASSING
        nil
      rescue *SHORT => error
        run_short(error)
      end

      # It is said once, not ten times a second.
      def run_short(error)
        unless @short
          @worker.service.log.error("accepts nothing for now: #{error.message}. Raise the limit of open files, or lower max_connections")
        end
        @short = true
        sleep(PAUSE)
      end
    end
  end
end
