# frozen_string_literal: true

require_relative "../native"

module Raffia
  module Process
    # Transfers values that are too long for a pipe: memory that is filled once and then mapped by
    # the other side. Long strings are not copied on arrival.
    #
    # The memory has no name; the kernel frees it with its last user. A sender never waits: when
    # there is no memory or descriptor, or the other side is full or gone, {send} returns false, and
    # the pipe is used.
    #
    # @api private
    class SharedMemoryPayloads
      WORTH = 65_536
      MOST = Native.available? ? Native::MAX_PAYLOADS : 0

      # One for the parent and one for the child; nil where the system has no such memory.
      def self.pair
        sockets = Native.payload_sockets if Native.available?
        sockets&.map { |descriptor| new(::IO.for_fd(descriptor, "r+")) }
      end

      def initialize(socket)
        @socket = socket
      end

      # Whether all of them were sent; else none was.
      def send(contents)
        contents.size <= MOST && Native.send_payloads(@socket.fileno, contents)
      rescue IOError
        false # the other side has ended
      end

      # Binary strings, which must have been sent already. Raises SystemCallError when this process
      # may open no more files, IOError when the other side has ended and its memory is gone.
      def receive = Native.receive_payloads(@socket.fileno)

      def close = @socket.close
    end
  end
end
