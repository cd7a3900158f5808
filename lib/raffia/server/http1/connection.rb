# frozen_string_literal: true

require "socket"
require_relative "../errors"
require_relative "../http/request_cycle"
require_relative "../http/threaded_request_cycle"
require_relative "lingering_close"
require_relative "../../native"

module Raffia
  class Server
    module HTTP1
      # A client: its requests, one after the other, in one fiber.
      #
      # @api private
      class Connection
        # Requests that are served in a row before others get a turn: who pipelines always has one
        # more.
        TURN = 16
        private_constant :TURN

        def initialize(service, socket, listener, address = nil)
          @service = service
          @socket = socket
          @listener = listener
          @address = address
          @wire = @exchange = @fiber = @io = nil
          @concluding = @service.drain.begun?
        end

        # @return [Fiber, Thread, nil] in which it is served, or that its application runs on
        def fiber = @exchange&.thread || @fiber

        # @return [Hash, nil] the request at hand
        def env = @exchange&.env

        # @return [Integer, nil] when the last request began, in monotonic microseconds
        def began = @exchange&.began

        # @return [Boolean, nil] whether the application has answered the last request
        def answered? = @exchange&.answered?

        # Until the client or we have had enough.
        def run
          @fiber = Fiber.current
          io = @listener.admit(@socket) { |address| @address = address } or return
          open_wire(io)
          serve
        rescue Refused => refusal
          refused(refusal)
        rescue Disconnected, SystemCallError, IOError
          nil
        # ours, or one of openssl's: it is the end of this connection, and of no other
        rescue => error
          @service.log.error(error)
        ensure
          close
        end

        # There will be no further request: the client is told with the next response.
        def conclude
          @concluding = true
          @wire&.closing = true
        end

        # @return [Integer, nil] changes with each byte that comes; nil while there is a request at
        #   hand
        def silence
          @wire ? (@wire.received unless env || @wire.pending?) : 0
        end

        # What has come so far is still served.
        def hang_up
          @socket.shutdown(Socket::SHUT_RD)
        rescue SystemCallError, IOError
          nil
        end

        # In a child that the app has forked: nothing is said to the client, nor TLS's goodbye.
        def leave_to_parent
          @socket.close unless @exchange&.hijacked?
        rescue SystemCallError, IOError
          nil
        end

        private

        def open_wire(io)
          options = @service.options
          @io = io
          @wire = Native::HTTP1.new(io, @service.template(@listener, io), @service.limits)
          @wire.write_timeout = options.write_timeout
          @wire.closing = true if @concluding
          @idle = options.idle_timeout
          @head = options.head_timeout
          @most = options.max_requests_per_connection
          @exchange = (@service.threads ? HTTP::ThreadedRequestCycle :
            HTTP::RequestCycle).new(@service, @wire, io,
              @address ||= address)
        end

        # Who comes by a Unix socket is on this machine, and apps expect an address.
        def address = Native.peer(@socket) || "127.0.0.1"

        def serve
          @kept = Fiber.current.storage || {}
          @turn = @served = 0
          nil while request
        end

        # A method, because a loop that is entered once is never compiled.
        # @return [Boolean] whether another one may follow
        def request
          env = @wire.receive(@idle, @head) or return false
          @service.tenure&.count
          @wire.closing = true if @most && (@served += 1) >= @most
          return false unless @exchange.run(env)

          Native.reset_fiber(@kept)
          give_way if (@turn += 1) == TURN
          true
        end

        def give_way
          @turn = 0
          return unless @wire.pending?

          @wire.flush
          Fiber.scheduler.yield
        end

        def refused(refusal)
          @wire.closing = true
          @wire.respond(refusal.status, {"content-type" => "text/plain"}, ["#{refusal.reason}\n"])
          @wire.flush
          @rude = true
        rescue Disconnected, BadResponse
          nil
        ensure
          @service.monitor.turned_away(refusal.status, @address)
        end

        def close
          return if @exchange&.hijacked?

          if @wire && (@rude || @concluding || @exchange&.unread?)
            LingeringClose.new(@socket, (@io unless @io.equal?(@socket))).run
          end
          (@wire || @socket).close
        rescue SystemCallError, IOError
          nil
        end
      end
    end
  end
end
