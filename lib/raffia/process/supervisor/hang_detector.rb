# frozen_string_literal: true

module Raffia
  module Process
    class Supervisor
      # Watches the heartbeat of one process. A process that hangs gets a dump, SIGTERM and SIGKILL,
      # one after the other; one that beats again is forgiven.
      #
      # @api private
      class HangDetector
        STEPS = %i[dump TERM KILL].freeze

        def initialize(board)
          @board = board
          forgive
        end

        def terminated? = @warnings > 1

        def forgive
          @warnings = 0
          nil
        end

        def step(now, since, timeout, grace)
          last_beat = @board.last_beat
          late = now - [last_beat, since].max - timeout
          return forgive if last_beat.zero? || late < 0
          return if late < @warnings * grace

          @warnings += 1
          STEPS[@warnings - 1] || STEPS.last
        end
      end
    end
  end
end
