# frozen_string_literal: true

require "socket"

module Raffia
  class Server
    class WebSocket
      # Sends bytes at once if the kernel takes them, else from a fiber while the peer reads. So
      # frames of several fibers do not mix, and a slow peer costs a bounded backlog.
      #
      # @api private
      class SendBuffer
        # `limit`: bytes. `timeout`: seconds for the peer to take some.
        def initialize(io, limit, timeout)
          @io = io
          @limit = limit
          @timeout = timeout
          @backlog = nil
        end

        # Whether another message fits, of any length.
        def capacity? = @backlog.nil? || @backlog.bytesize < @limit

        def failed? = !!@failed

        def await_capacity
          until capacity? || @failed
            (@drained ||= Condition.new).wait
          end
          raise Closed, "the peer of the WebSocket has gone, or reads nothing" if @failed
        end

        # Never waits, because it also sends pongs and closes. Disconnects beyond twice the limit.
        def push(bytes)
          return if @failed
          return append(bytes) if @backlog

          sent = transmit(bytes) or return
          return if sent == bytes.bytesize

          @backlog = bytes.byteslice(sent..)
          Fiber.schedule { drain }
        end

        # Waits until the last bytes, such as a close, are sent.
        def finish(timeout)
          @timeout = timeout
          (@drained ||= Condition.new).wait until @backlog.nil? || @failed
        end

        private

        def append(bytes)
          # Only for a peer that pings without reading: messages wait for capacity.
          return disconnect if @backlog.bytesize > 2 * @limit + bytes.bytesize

          @backlog << bytes
        end

        # Returns bytes sent; nil: the peer has gone.
        def transmit(bytes)
          sent = @io.write_nonblock(bytes, exception: false)
          sent.is_a?(Integer) ? sent : 0
        rescue # Errno, IOError, OpenSSL's: gone is gone
          disconnect
        end

        def drain
          while @backlog && @io.to_io.wait_writable(@timeout)
            sent = transmit(@backlog) or break
            @backlog = (sent == @backlog.bytesize) ? nil : @backlog.byteslice(sent..)
            @drained&.broadcast if capacity?
          end
          disconnect if @backlog
        rescue IOError
          disconnect
        end

        # A reader sees the end of the stream.
        def disconnect
          @failed = true
          @backlog = nil
          @io.to_io.shutdown(::Socket::SHUT_RDWR)
          nil
        rescue SystemCallError, IOError
          nil
        ensure
          @drained&.broadcast
        end
      end
    end
  end
end
