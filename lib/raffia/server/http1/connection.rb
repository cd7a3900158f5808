# frozen_string_literal: true

require_relative "../connection"
require_relative "stream"

module Raffia
  class Server
    module HTTP1
      # Serves the requests of a client, one after the other, in one fiber.
      #
      # @api private
      class Connection < Server::Connection
        # Pipelined requests served before other connections get a turn.
        TURN = 16
        # Limits for reading the rest of a body, in bytes and seconds. A new connection costs less.
        SKIPPED = 256 * 1024
        SKIP_TIMEOUT = 5
        private_constant :TURN, :SKIPPED, :SKIP_TIMEOUT

        def initialize(...)
          super
          @stream = @cycle = @http2 = nil
          @served = @moved_at = 0
        end

        def cycles = @cycle&.env ? [@cycle] : []

        def close_after_response
          super
          @stream&.closing = true
        end

        def idle_mark
          @stream ? (@stream.received unless @cycle&.env || @stream.pending?) : 0
        end

        # Another process has accepted the connection, served requests on it and moved it at that
        # time (monotonic nanoseconds).
        def continue(served, moved_at)
          @served = served
          @moved_at = moved_at
        end

        # A connection that was moved belongs to another process, and must not be shut down.
        def stop_reading
          super if @stream.nil? || @stream.claim
        end

        private

        def serve
          open_stream
          @storage = Fiber.current.storage || {}
          @turn = 0
          nil while serve_request
          hand_over if @http2
        rescue Refused => refusal
          @unread = true
          reject(refusal, @stream)
        end

        def open_stream
          options = @context.options
          @stream = Stream.new(@io, @context.template(Stream, @listener, @io), @context.limits)
          @stream.write_timeout = options.write_timeout
          @stream.closing = true if @closing
          @idle_timeout = options.idle_timeout
          @head_timeout = options.head_timeout
          @max_requests = options.max_requests_per_connection
          @cycle = cycle(@stream)
          @stream.find_http2 if @context.connection_monitor && @io.equal?(@socket)
          @stream.served = @served
          @context.mover&.offer(@stream, @listener, @address, @moved_at)
        end

        # A method of its own: YJIT does not compile a loop that is entered once.
        def serve_request
          env = @stream.receive(@idle_timeout, @head_timeout) or return http2(env)
          @stream.closing = true if @max_requests && @stream.served >= @max_requests
          return false unless @cycle.run(env) { keep_alive? }

          Native.reset_fiber(@storage)
          yield_to_others if (@turn += 1) == TURN
          true
        end

        # The client knows that this server speaks HTTP/2, and begins with it (RFC 9113, 3.3).
        def http2(env)
          @http2 = env == false
          false
        end

        def hand_over
          @stream.stay
          @successor = HTTP2::Connection.new(@context, @socket, @listener, @address, @io,
            unread: @stream.unread)
        end

        def close = (super unless successor)

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

        def hijacked? = @cycle&.hijacked?

        def linger? = @stream&.claim && (super || @unread || @cycle&.refused?)

        def close_io
          # Else the client would wait for the process that had the connection to close its copy.
          @socket.shutdown(Socket::SHUT_WR) if @moved_at.positive? && @stream&.claim
        rescue SystemCallError
          nil # the client has closed it
        ensure
          (@stream || @io).close
        end
      end
    end
  end
end
