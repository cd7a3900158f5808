# frozen_string_literal: true

module Raffia
  class Server
    class WebSocket
      # Receives bytes. Notices when the peer is silent for too long or has gone.
      #
      # @api private
      class Receiver
        CHUNK = 16 * 1024
        private_constant :CHUNK

        # `ping`: seconds of silence, or nil. The block runs when the peer has gone.
        def initialize(io, driver, ping, &lost)
          @io = io
          @driver = driver
          @ping = ping
          @lost = lost
          @in_a_row = 0
        end

        # Sets the seconds for the peer to end the connection, also for a fiber that waits.
        def limit(timeout)
          @deadline ||= Clock.now + timeout
          @wait&.cancel(:closing)
        end

        # Waits for bytes, and parses them up to the end of a message.
        def receive
          return @driver.resume if @driver.paused?
          return @lost.call if @deadline && Clock.now >= @deadline

          case bytes = read
          when String then parse(bytes)
          when nil then @lost.call
          else
            @in_a_row = 0
            silent unless wait(bytes)
          end
        end

        private

        def read
          @io.read_nonblock(CHUNK, exception: false)
        rescue # Errno, IOError, OpenSSL's
          nil
        end

        # Sleeps when a peer never pauses, so that other fibers run and the kernel is polled.
        def parse(bytes)
          @pinged = false
          @driver.parse(bytes)
          return if (@in_a_row += bytes.bytesize) < CHUNK

          @in_a_row = 0
          sleep(0)
        end

        # `event`: wait_readable, or wait_writable within a TLS exchange.
        def wait(event)
          CancellationStack.enter(self) do |wait|
            @wait = wait
            @io.to_io.public_send(event, timeout)
          end
        rescue Cancel => cancel
          cancel.origin.equal?(self) || raise
        ensure
          @wait = nil
        end

        def timeout = @deadline ? [@deadline - Clock.now, 0].max : @ping

        def silent
          return @lost.call if @pinged || @deadline

          @pinged = true
          @driver.ping
        end
      end
    end
  end
end
