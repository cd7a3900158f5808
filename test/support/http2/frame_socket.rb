# frozen_string_literal: true

require "io/wait"
require "socket"
require_relative "frame"

module TestSupport
  module HTTP2
    class Error < StandardError; end

    # Reads and writes frames.
    class FrameSocket
      # Only ends a test that fails.
      PATIENCE = 30
      # Bytes of a write that go one by one; the others go in pieces of STEP.
      SINGLE = 80
      STEP = 997

      # @param io [IO, OpenSSL::SSL::SSLSocket]
      # @param piecewise [Boolean] write byte by byte
      # @param patience [Numeric] seconds
      def initialize(io, piecewise:, patience: PATIENCE)
        @io = io
        io.to_io.setsockopt(Socket::IPPROTO_TCP, Socket::TCP_NODELAY, 1)
        @piecewise = piecewise
        @patience = patience
        @buffer = "".b
      end

      # Bytes for an end that has closed are dropped: what it sent before can still be read.
      def write(bytes)
        @piecewise ? deliver(bytes.b) : @io.write(bytes)
      rescue Errno::EPIPE, Errno::ECONNRESET
        nil
      end

      # @return [Frame, nil] nil at the connection's end
      def read
        head = bytes(9) or return
        length, frame = Frame.parse(head)
        payload = bytes(length) or return
        frame.payload << payload
        frame
      end

      private

      def deliver(bytes)
        bytes.byteslice(0, SINGLE).each_char { |byte| @io.write(byte) }
        (SINGLE...bytes.bytesize).step(STEP) { |from| @io.write(bytes.byteslice(from, STEP)) }
      end

      def bytes(length)
        until @buffer.bytesize >= length
          more = @io.read_nonblock(65_536, exception: false) or return
          next @buffer << more if more.is_a?(String)
          @io.to_io.wait_readable(@patience) or raise Error, "nothing came for #{@patience} s"
        end
        @buffer.slice!(0, length)
      rescue Errno::ECONNRESET
        nil
      end
    end
  end
end
