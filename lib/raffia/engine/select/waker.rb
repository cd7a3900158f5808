# frozen_string_literal: true

module Raffia
  module Engine
    class Select
      # Ends the sleep of a {Select} from other threads, by a pipe that it selects.
      #
      # @api private
      class Waker
        # @return [IO] readable after a wake-up
        attr_reader :io

        def initialize
          @io, @writer = IO.pipe
          @asleep = @woken = false
        end

        # @return [Boolean] whether the next sleep is to end at once
        def woken? = @woken

        def asleep? = @asleep

        # Announces a sleep. It comes before the last look at the inbox: a thread that fills the
        # inbox later wakes the loop.
        # @return [void]
        def sleep = @asleep = true

        # @return [void]
        def awake = @asleep = @woken = false

        # Ends the current sleep, or the next one.
        # @return [Boolean] false when the engine is closed
        def wake
          @woken = true unless @asleep
          @writer.write_nonblock(".", exception: false) if @asleep
          true
        rescue IOError
          false
        end

        def closed? = @writer.closed?

        # @return [void]
        def close = Fiber.blocking { [@writer, @io].each(&:close) }
      end
    end
  end
end
