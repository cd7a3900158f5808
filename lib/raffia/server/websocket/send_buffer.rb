# frozen_string_literal: true

require "socket"

module Raffia
  class Server
    class WebSocket
      # What goes to the peer: sent at once if the kernel takes it, else kept, and sent by a fiber
      # of its own as the peer reads. So frames of several fibers never mix, and a slow peer costs a
      # bounded backlog.
      #
      # @api private
      class SendBuffer
        # @param limit [Integer] bytes
        # @param patience [Numeric] seconds in which the peer must take something
        def initialize(io, limit, patience)
          @io = io
          @limit = limit
          @patience = patience
          @left = nil
        end

        # @return [Boolean] whether another message may come; it may be longer than what is free
        def room? = @left.nil? || @left.bytesize < @limit

        def failed? = !!@failed

        # Waits until there is room.
        # @raise [Closed] when the peer takes nothing any more
        def await_room
          until room? || @failed
            (@drained ||= Condition.new).wait
          end
          raise Closed, "the peer of the WebSocket has gone, or reads nothing" if @failed
        end

        # Takes the bytes in any case, and never waits: also pongs and closes come here. More than
        # twice the limit nobody gets.
        def push(bytes)
          return if @failed
          return keep(bytes) if @left

          sent = transmit(bytes) or return
          return if sent == bytes.bytesize

          @left = bytes.byteslice(sent..)
          Fiber.schedule { drain }
        end

        # The last bytes, such as a close, are waited for.
        def finish(patience)
          @patience = patience
          (@drained ||= Condition.new).wait until @left.nil? || @failed
        end

        private

        def keep(bytes)
          # Only a peer that asks (pings) without reading gets here: messages wait for room.
          return fail_with if @left.bytesize > 2 * @limit + bytes.bytesize

          @left << bytes
        end

        # @return [Integer, nil] how many bytes went; nil: the peer has gone
        def transmit(bytes)
          sent = @io.write_nonblock(bytes, exception: false)
          sent.is_a?(Integer) ? sent : 0
        rescue # Errno, IOError, OpenSSL's: gone is gone
          fail_with
        end

        def drain
          while @left && @io.to_io.wait_writable(@patience)
            sent = transmit(@left) or break
            @left = (sent == @left.bytesize) ? nil : @left.byteslice(sent..)
            @drained&.broadcast if room?
          end
          fail_with if @left
        rescue IOError
          fail_with
        end

        # Whoever reads sees an end.
        def fail_with
          @failed = true
          @left = nil
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
