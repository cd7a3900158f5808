# frozen_string_literal: true

module Raffia
  module Engine
    class Select
      # Ends the sleep of a {Select} from other threads, by a pipe that it selects.
      #
      # @api private
      class Waker
        # Readable after a wake-up.
        attr_reader :io

        def initialize
          @io, @writer = IO.pipe
          @asleep = @woken = false
        end

        # Whether the next sleep is to end at once.
        def woken? = @woken

        def asleep? = @asleep

        # Announces a sleep. It comes before the last check of the inbox: a thread that fills the
        # inbox later wakes the loop.
        def sleep = @asleep = true

        def awake = @asleep = @woken = false

        # Ends the current sleep, or the next one. False when the engine is closed.
        def wake
          @woken = true unless @asleep
          @writer.write_nonblock(".", exception: false) if @asleep
          true
        rescue IOError
          false
        end

        def closed? = @writer.closed?

        def close = Fiber.blocking { [@writer, @io].each(&:close) }
      end
    end
  end
end
