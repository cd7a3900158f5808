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
        # @yield with each beat
        def initialize(heart, log, &also)
          @heart = heart
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

        # From another thread: once for each time that it is held up.
        # @return [void]
        def look
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
