# frozen_string_literal: true

require "fcntl"
require "socket"

module Raffia
  class Server
    class Worker
      # Accepts what comes in at one listener.
      #
      # @api private
      class Acceptor
        # Seconds to wait when there are too many open files: until then some may have been closed.
        PAUSE = 0.1
        # What says nothing about the listener: the client has left again, or its network has.
        PASSING = [Errno::ECONNABORTED, Errno::EPROTO, Errno::EPERM, Errno::ENETDOWN,
          Errno::EHOSTDOWN, Errno::EHOSTUNREACH, Errno::ENETUNREACH].freeze
        # Connections that are accepted in a row before those that there are get a turn: while
        # clients come faster than they are served, there is always one more.
        TURN = 8
        SHORT = [Errno::EMFILE, Errno::ENFILE, Errno::ENOBUFS, Errno::ENOMEM].freeze
        private_constant :PAUSE, :PASSING, :TURN, :SHORT

        # @param listener [Listen::Listener] where the connections belong
        # @param worker [Worker]
        # @param socket [IO] to accept from, of the same address
        # @param once [Boolean] whether to end when no connection waits
        def initialize(listener, worker, socket = listener.socket, once: false)
          @listener = listener
          @worker = worker
          @socket = socket
          @once = once
          @short = false
          @turn = 0
          unblock(socket)
          @kind = socket.is_a?(UNIXServer) ? UNIXSocket : TCPSocket
        end

        # @return [void] only with `once`
        def run
          loop do
            @worker.await_room
            accept
          end
        end

        private

        # Who has handed it in may not have seen to that. (IO#nonblock= says the same, but before
        # Ruby 3.4 not in a Ractor.)
        def unblock(socket)
          socket.fcntl(Fcntl::F_SETFL, socket.fcntl(Fcntl::F_GETFL) | ::File::NONBLOCK)
        end

        def accept
          return pause unless one?(@turn == 1)

          give_way if (@turn += 1) == TURN
        rescue *PASSING
          nil
        rescue *SHORT => error
          run_short(error)
        end

        # Most come alone, so before the second one it is looked whether there is any: that takes a
        # tenth of accepting in vain.
        def one?(look)
          Native.accept(@socket, @kind, look) do |socket, address|
            @short = false
            @worker.admit(socket, @listener, address)
          end
        end

        def pause
          raise StopIteration if @once

          @turn = 0
          @socket.wait_readable
        end

        # By a sleep, so that the loop looks at the kernel, too: where clients open a connection for
        # each request, those that they have closed would keep their fibers and buffers until there
        # is a look.
        def give_way
          @turn = 0
          sleep(0)
        end

        # It is said once, not ten times a second.
        def run_short(error)
          unless @short
            @worker.service.log.error("accepts nothing for now: #{error.message}. Raise the " \
            "limit " \
              "of open files, or lower max_connections")
          end
          @short = true
          sleep(PAUSE)
        end
      end
    end
  end
end
