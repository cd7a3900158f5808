# frozen_string_literal: true

module Raffia
  module Jobs
    class Worker
      # Reports to the supervisor that the worker's event loop turns, and logs when a job blocks it.
      # @api private
      class LoopMonitor
        # Seconds between two checks.
        INTERVAL = 1
        # Seconds after which a blocked loop is logged.
        BLOCKED = 5

        # Lenient: liveness gets beat also while the loop is blocked and other threads run. Yields
        # with each turn.
        def initialize(liveness, log, lenient:, shared_lease: nil, &on_turn)
          @liveness = liveness
          @lenient = lenient
          @log = log
          @shared_lease = shared_lease
          @on_turn = on_turn
          @checks = 0
          turned
        end

        # In the loop.
        def run
          @thread = ::Thread.current
          loop do
            turned
            @liveness&.beat
            @on_turn&.call
            Waiter.nap(INTERVAL)
          end
        end

        # In another thread, which must not wait for a fiber of the loop. Logs each blockage once.
        def check
          @liveness&.beat if @lenient
          @checks += 1
          seconds = blocked_seconds
          return if @logged || seconds < BLOCKED

          @logged = true
          @log.warn({event: "loop blocked", seconds: seconds.round(1),
            at: @thread&.backtrace&.first,
            why: "a job computes, or blocks, in a fiber, and all others wait for it: " \
              "on: :threads or :processes is for such jobs"})
        end

        private

        def turned
          @checked = @checks
          @observed = @shared_lease&.observed
          @logged = false
        end

        # Seconds, at least, for which the loop was blocked while the process could run. Not by a
        # clock, because of Ctrl-Z and debuggers. The lease monitor also counts while a call into C
        # keeps Ruby's lock, and so this thread.
        def blocked_seconds
          [(@checks - @checked - 1) * INTERVAL,
            @shared_lease ? @shared_lease.observed - @observed : 0].max
        end
      end
    end
  end
end
