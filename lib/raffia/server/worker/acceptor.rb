# frozen_string_literal: true

require "fcntl"
require "socket"

module Raffia
  class Server
    class Worker
      # Accepts the connections of a listener.
      #
      # @api private
      class Acceptor
        # Seconds to sleep when there are too many open files.
        PAUSE = 0.1
        # Errors of one client or network.
        TRANSIENT = [Errno::ECONNABORTED, Errno::EPROTO, Errno::EPERM, Errno::ENETDOWN,
          Errno::EHOSTDOWN, Errno::EHOSTUNREACH, Errno::ENETUNREACH].freeze
        # Connections that are accepted before the open ones get a turn.
        TURN = 8
        EXHAUSTED = [Errno::EMFILE, Errno::ENFILE, Errno::ENOBUFS, Errno::ENOMEM].freeze
        private_constant :PAUSE, :TRANSIENT, :TURN, :EXHAUSTED

        # `once`: end when no connection waits.
        def initialize(listener, context, connections, socket = listener.socket, once: false)
          @listener = listener
          @context = context
          @connections = connections
          @socket = socket
          @once = once
          @exhausted = false
          @turn = 0
          unblock(socket)
          @kind = socket.is_a?(UNIXServer) ? UNIXSocket : TCPSocket
        end

        def run
          loop do
            @connections.await_capacity
            accept
          end
        end

        private

        # Inherited sockets may block. IO#nonblock= raises in Ractors before Ruby 3.4.
        def unblock(socket)
          socket.fcntl(Fcntl::F_SETFL, socket.fcntl(Fcntl::F_GETFL) | ::File::NONBLOCK)
        end

        def accept
          return wait unless accepted?(@turn == 1)

          yield_to_others if (@turn += 1) == TURN
        rescue *TRANSIENT
          nil
        rescue *EXHAUSTED => error
          pause(error)
        end

        # Most connections come alone, so a poll precedes the second accept. It costs a tenth of an
        # accept in vain.
        def accepted?(poll)
          Native.accept(@socket, @kind, poll) do |socket, address|
            @exhausted = false
            @connections.open(socket, @listener, address)
          end
        end

        def wait
          raise StopIteration if @once

          @turn = 0
          @socket.wait_readable
        end

        # Sleeps, so that the loop polls the kernel. Else connections closed by their clients would
        # keep their fibers and buffers while new ones come.
        def yield_to_others
          @turn = 0
          sleep(0)
        end

        # Logs the error once, not ten times a second.
        def pause(error)
          unless @exhausted
            @context.log.error("accepts nothing for now: #{error.message}. " \
              "Raise the limit of open files, or lower max_connections")
          end
          @exhausted = true
          sleep(PAUSE)
        end
      end
    end
  end
end
