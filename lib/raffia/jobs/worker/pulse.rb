# frozen_string_literal: true

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
        # @param lenient [Boolean] whether the heart also beats while the loop stands still and
        #   other threads run
        # @param board [LeaseBoard, nil] says for how long this process could run
        # @yield with each beat
        def initialize(heart, log, lenient:, board: nil, &also)
          @heart = heart
          @lenient = lenient
          @log = log
          @board = board
          @also = also
          @looks = 0
          turned
        end

        # For ever.
        def run
          @thread = ::Thread.current
          loop do
            turned
            @heart&.beat
            @also&.call
            Waiter.nap(INTERVAL)
          end
        end

        # From another thread, which waits for nothing that a fiber of the loop may have: says it
        # once for each time that it is held up.
        # @return [void]
        def look
          @heart&.beat if @lenient
          @looks += 1
          held = seconds_held
          return if @said || held < HELD

          @said = true
          @log.warn({event: "held up", seconds: held.round(1), at: @thread&.backtrace&.first,
                     why: "a job computes, or blocks, in a fiber, and all others wait for it: " \
                       "on: :threads or :processes is for such jobs"})
        end

        private

        def turned
          @looked = @looks
          @observed = @board&.observed
          @said = false
        end

        # By no clock: a process that was stopped (Ctrl-Z, a debugger) does not hold up its loop.
        # The lease monitor also counts while a call into C keeps Ruby's lock, and so this thread.
        # @return [Numeric] for how long at least the loop stood still while this process could run
        def seconds_held
          [(@looks - @looked - 1) * INTERVAL, @board ? @board.observed - @observed : 0].max
        end
      end
    end
  end
end
