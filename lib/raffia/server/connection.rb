# frozen_string_literal: true

require "socket"
require_relative "error"
require_relative "connection/lingering_close"
require_relative "http/request_cycle"
require_relative "http/threaded_request_cycle"

module Raffia
  class Server
    # A client's connection, whatever its protocol. {Protocols} names the subclasses.
    #
    # A subclass reads requests in {#serve}. It runs each by a {#cycle} on a stream, which
    # implements {HTTP::Stream}: one stream for all requests, or one for each of several at a time.
    #
    # @api private
    class Connection
      # The client's address when none is known: those of Unix sockets are on this machine.
      LOCAL = "127.0.0.1"

      # The client's address; nil: not asked yet.
      attr_reader :address
      # The connection that takes over from this one; nil: none, it is closed.
      attr_reader :successor

      # `io`: the socket, or TLS on it.
      def initialize(context, socket, listener, address = nil, io = socket)
        @context = context
        @socket = socket
        @listener = listener
        @address = address
        @io = io
        @closing = context.drain.begun?
      end

      def run
        serve
      rescue Disconnected, SystemCallError, IOError
        nil
      rescue => error # ours, or one of openssl's: it ends this connection, and no other
        @context.log.error(error)
      ensure
        close
      end

      # Cycles of the requests in flight. Safe in any thread.
      def cycles = []

      # Takes no further request, and tells the client with the next response.
      def close_after_response = @closing = true

      # Bytes received so far; nil while a request is in flight.
      def idle_mark = 0

      # Bytes that have come so far are still served.
      def stop_reading
        @socket.shutdown(Socket::SHUT_RD)
      rescue SystemCallError, IOError
        nil
      end

      # Closes the socket in a forked child. The client gets no bytes, nor TLS's close_notify.
      def close_after_fork
        @socket.close unless hijacked?
      rescue SystemCallError, IOError
        nil
      end

      private

      # Serves requests until no more come, in the connection's fiber.
      def serve = raise(NotImplementedError, "#{self.class}#serve")

      # Whether an application has taken the socket.
      def hijacked? = false

      # Whether unread input may keep the client from reading the last response.
      def linger? = @closing

      def close_io = @io.close

      # A request cycle for a stream. Requests one after the other may share it.
      def cycle(stream)
        kind = @context.threads ? HTTP::ThreadedRequestCycle : HTTP::RequestCycle
        kind.new(@context, stream, @address ||= peer_address)
      end

      # Applications expect an address.
      def peer_address = Native.peer(@socket) || LOCAL

      # Responds to bytes that are no request.
      def reject(refusal, stream)
        stream.closing = true
        stream.answer([refusal.status, {"content-type" => "text/plain"}, ["#{refusal.reason}\n"]])
        stream.flush
      rescue Disconnected, BadResponse
        nil
      ensure
        @context.telemetry.rejected(refusal.status, @address)
      end

      def close
        return if hijacked?

        LingeringClose.new(@socket, (@io unless @io.equal?(@socket))).run if linger?
        close_io
      rescue SystemCallError, IOError
        nil
      end
    end
  end
end
