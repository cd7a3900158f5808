# frozen_string_literal: true

require_relative "../../base/clock"
require_relative "../../task"

module Raffia
  module Jobs
    class Worker
      # Tells whoever watches this process that its loop turns, and the log when it does not.
      #
      # @api private
      class Pulse
        # Seconds.
        INTERVAL = 1
        # Seconds after which a loop that does not turn is worth a line.
        HELD = 5

        # @param heart [#beat, nil]
        # @param log [Logger]
        # @param lenient [Boolean] whether the heart also beats while the loop stands still and other threads run
        # @yield with each beat
        def initialize(heart, log, lenient:, &also)
          @heart = heart
          @lenient = lenient
          @log = log
          @also = also
          @at = Clock.now
          @said = false
        end

        # For ever.
        def run
          @thread = ::Thread.current
          loop do
            @at = Clock.now
            @said = false
            @heart&.beat
            @also&.call
            Waiter.nap(INTERVAL)
          end
        end

        # From another thread, which waits for nothing that a fiber of the loop may have: says it once for each time that it is held up.
        # @return [void]
        def look
          @heart&.beat if @lenient
          held = Clock.now - @at
          return if @said || held < HELD

          @said = true
          @log.warn({event: "held up", seconds: held.round(1), at: @thread&.backtrace&.first,
                     why: "a job computes, or blocks, in a fiber, and all others wait for it: on: :threads or :processes is for such jobs"})
        end
      end
    end
  end
end
