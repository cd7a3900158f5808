# frozen_string_literal: true

require_relative "../../../base/clock"
require_relative "../../errors"

module Raffia
  module Jobs
    module Stores
      class Postgres < SQL
        # The listening connection, which comes back when it was lost, and a pipe that ends a wait
        # for it.
        # @api private
        class Ear
          # Seconds between tries to get it back.
          PAUSE = 1

          # @yieldreturn [Driver, nil] nil: never
          def initialize(&connect)
            @connect = connect
            @channels = []
            @next = 0
            @poked, @poke = ::IO.pipe
          end

          # @return [Boolean]
          def open? = !@driver.nil?

          # @return [Boolean]
          def listens?(channels) = (channels - @channels).empty?

          # Ends {#hear}, now or the next one.
          # @return [void]
          def poke
            @poke.write_nonblock(".")
          rescue ::IO::WaitWritable, ::IOError
            nil # it was poked often enough, or has been closed
          end

          # By one at a time.
          # @param channels [Array<String>] to listen to
          # @param timeout [Float] seconds
          # @return [Array<String>, nil] on which something was said; nil: it listens only since now
          def hear(channels, timeout)
            return if attend(channels)

            ready, = ::IO.select([@poked, @driver&.io].compact, nil, nil, timeout)
            @poked.read_nonblock(256, exception: false) if ready&.include?(@poked)
            @driver ? @driver.heard : []
          rescue StoreUnavailable
            lose
            []
          end

          # @return [void]
          def close
            lose
            [@poked, @poke].each(&:close)
          end

          # @return [void]
          def disown
            @driver&.disown
            [@poked, @poke].each(&:close)
          end

          private

          # @return [Boolean] whether it listens to more than before
          def attend(channels)
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

          def lose
            @driver&.close
            @driver = nil
            @channels = []
          end
        end
      end
    end
  end
end
