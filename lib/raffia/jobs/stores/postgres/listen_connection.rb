# frozen_string_literal: true

module Raffia
  module Jobs
    module Stores
      class Postgres < SQL
        # A connection with LISTEN, which reconnects, and a pipe that interrupts its reader.
        # @api private
        class ListenConnection
          # Seconds between tries to reconnect.
          PAUSE = 1

          # The block returns nil when LISTEN never works.
          def initialize(&connect)
            @connect = connect
            @channels = []
            @next = 0
            @reader, @writer = ::IO.pipe
          end

          def open? = !@driver.nil?

          def listens?(channels) = (channels - @channels).empty?

          def interrupt
            @writer.write_nonblock(".")
          rescue ::IO::WaitWritable, ::IOError
            nil # it has been interrupted often enough, or is closed
          end

          # For one reader at a time. Returns channels with notifications, nil when it listens only
          # since now.
          def read(channels, timeout)
            return if listen(channels)

            ready, = ::IO.select([@reader, @driver&.io].compact, nil, nil, timeout)
            @reader.read_nonblock(256, exception: false) if ready&.include?(@reader)
            @driver ? @driver.notifications : []
          rescue StoreUnavailable
            disconnect
            []
          end

          def close
            disconnect
            [@reader, @writer].each(&:close)
          end

          def disown
            @driver&.disown
            [@reader, @writer].each(&:close)
          end

          private

          def listen(channels)
            missing = channels - @channels
            return false if missing.empty? || !connected?

            @driver.listen(missing)
            @channels += missing
            true
          end

          def connected?
            return true if @driver
            return false if @next.nil? || Clock.now < @next

            @next = Clock.now + PAUSE
            @driver = @connect.call
            @next = nil unless @driver
            !@driver.nil?
          end

          def disconnect
            @driver&.close
            @driver = nil
            @channels = []
          end
        end
      end
    end
  end
end
