# frozen_string_literal: true

require_relative "../native"

module Raffia
  module Process
    # The way between a parent and one worker for what is too long for a pipe: memory that is filled
    # once and then belongs to the other side, which maps it. Long strings are not copied on
    # arrival.
    #
    # The memory has no name anywhere and is nobody's but its users': the kernel frees it with the
    # last of them, however they end. A sender never waits. Where the system gives no memory or no
    # descriptors, the other side has much to take still, or is gone, {send} says so, and the pipe
    # does it.
    #
    # @api private
    class SharedMemoryPayloads
      # Bytes from which a string is better sent so; below, the pipe is as quick.
      WORTH = 65_536
      # How many one message carries.
      MOST = Native.available? ? Native::MAX_PAYLOADS : 0

      # A pair that belongs together: one is for the parent, one for the child.
      # @return [Array(SharedMemoryPayloads, SharedMemoryPayloads), nil] nil where the system has no
      #   such memory
      def self.pair
        sockets = Native.payload_sockets if Native.available?
        sockets&.map { |descriptor| new(::IO.for_fd(descriptor, "r+")) }
      end

      # @param socket [IO]
      def initialize(socket)
        @socket = socket
      end

      # @param contents [Array<String, IO::Buffer>]
      # @return [Boolean] whether all of them were sent; else none was
      def send(contents)
        contents.size <= MOST && Native.send_payloads(@socket.fileno, contents)
      rescue IOError
        false # closed by whoever saw the other side end
      end

      # What the other side has sent at once; it must have been sent already.
      # @return [Array<String>] binary
      # @raise [SystemCallError] when this process may open no more files
      # @raise [IOError] when the other side has ended, and what it had sent was given up
      def receive = Native.receive_payloads(@socket.fileno)

      # @return [void]
      def close = @socket.close
    end
  end
end
