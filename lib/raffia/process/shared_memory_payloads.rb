# frozen_string_literal: true

require_relative "../native"

module Raffia
  module Process
    # Transfers values that are too long for a pipe: memory that is filled once and then mapped by
    # the other side. Long strings are not copied on arrival.
    #
    # The memory has no name; the kernel frees it with its last user, however that ends. A sender
    # never waits. When there is no memory or descriptor, or the other side is full or gone, {send}
    # returns false, and the pipe is used.
    #
    # @api private
    class SharedMemoryPayloads
      # Bytes from which a string is better sent so; below, the pipe is as quick.
      WORTH = 65_536
      # How many one message carries.
      MOST = Native.available? ? Native::MAX_PAYLOADS : 0

      # A pair that belongs together: one is for the parent, one for the child. nil where the system
      # has no such memory.
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

      # What the other side has sent at once; it must have been sent already. Binary. Raises
      # SystemCallError when this process may open no more files. Raises IOError when the other side
      # has ended, and what it had sent was given up.
      def receive = Native.receive_payloads(@socket.fileno)

      def close = @socket.close
    end
  end
end
