# frozen_string_literal: true

require "socket"
require_relative "../errors"
require_relative "../http/request_cycle"
require_relative "../http/threaded_request_cycle"
require_relative "lingering_close"
require_relative "stream"

module Raffia
  class Server
    module HTTP1
      # Serves the requests of a client, one after the other, in one fiber.
      #
      # @api private
      class Connection
        # Pipelined requests served before other connections get a turn.
        TURN = 16
        # Limits for reading the rest of a body, in bytes and seconds. A new connection costs less.
        SKIPPED = 256 * 1024
        SKIP_TIMEOUT = 5
        private_constant :TURN, :SKIPPED, :SKIP_TIMEOUT

        def initialize(context, socket, listener, address = nil)
          @context = context
          @socket = socket
          @listener = listener
          @address = address
          @stream = @cycle = @fiber = @io = nil
          @closing = @context.drain.begun?
        end

        # The fiber of the connection, or the thread that runs its application.
        def fiber = @cycle&.thread || @fiber

        def env = @cycle&.env

        # Beginning of the last request, in monotonic microseconds.
        def began = @cycle&.began

        def answered? = @cycle&.answered?

        def run
          @fiber = Fiber.current
          io = @listener.handshake(@socket) { |address| @address = address } or return
          open_stream(io)
          serve
        rescue Refused => refusal
          reject(refusal)
        rescue Disconnected, SystemCallError, IOError
          nil
        rescue => error # ours, or one of openssl's: it ends this connection, and no other
          @context.log.error(error)
        ensure
          close
        end

        # The next response tells the client that it is the last.
        def close_after_response
          @closing = true
          @stream&.closing = true
        end

        # Bytes received so far; nil while a request is in flight.
        def idle_mark
          @stream ? (@stream.received unless env || @stream.pending?) : 0
        end

        # Bytes that have come so far are still served.
        def stop_reading
          @socket.shutdown(Socket::SHUT_RD)
        rescue SystemCallError, IOError
          nil
        end

        # Closes the socket in a forked child. The client gets no bytes, nor TLS's close_notify.
        def close_after_fork
          @socket.close unless @cycle&.hijacked?
        rescue SystemCallError, IOError
          nil
        end

        private

        def open_stream(io)
          options = @context.options
          @io = io
          @stream = Stream.new(io, @context.template(@listener, io), @context.limits)
          @stream.write_timeout = options.write_timeout
          @stream.closing = true if @closing
          @idle_timeout = options.idle_timeout
          @head_timeout = options.head_timeout
          @max_requests = options.max_requests_per_connection
          cycle = @context.threads ? HTTP::ThreadedRequestCycle : HTTP::RequestCycle
          @cycle = cycle.new(@context, @stream, @address ||= address)
        end

        # Clients of a Unix socket are on this machine, and applications expect an address.
        def address = Native.peer(@socket) || "127.0.0.1"

        def serve
          @storage = Fiber.current.storage || {}
          @turn = @served = 0
          nil while serve_request
        end

        # A method of its own: YJIT does not compile a loop that is entered once.
        def serve_request
          env = @stream.receive(@idle_timeout, @head_timeout) or return false
          @context.usage&.count
          @stream.closing = true if @max_requests && (@served += 1) >= @max_requests
          return false unless @cycle.run(env) { keep_alive? }

          Native.reset_fiber(@storage)
          yield_to_others if (@turn += 1) == TURN
          true
        end

        def keep_alive?
          return true if @stream.keep_alive? &&
            (!@stream.body? || @stream.skip_body(SKIPPED, SKIP_TIMEOUT))

          @unread = @stream.body? || @stream.pending?
          @stream.flush
          false
        end

        def yield_to_others
          @turn = 0
          return unless @stream.pending?

          @stream.flush
          Fiber.scheduler.yield
        end

        def reject(refusal)
          @stream.closing = true
          @stream.respond(refusal.status, {"content-type" => "text/plain"},
            ["#{refusal.reason}\n"])
          @stream.flush
          @unread = true
        rescue Disconnected, BadResponse
          nil
        ensure
          @context.telemetry.rejected(refusal.status, @address)
        end

        def close
          return if @cycle&.hijacked?

          if @stream && (@closing || @unread || @cycle&.refused?)
            LingeringClose.new(@socket, (@io unless @io.equal?(@socket))).run
          end
          (@stream || @socket).close
        rescue SystemCallError, IOError
          nil
        end
      end
    end
  end
end
