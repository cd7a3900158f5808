# frozen_string_literal: true

module Raffia
  class Scheduler
    # Nothing can ever go on: every fiber waits for another fiber or thread, no operation is under
    # way that could end a wait, and all other threads of the Ractor sleep for ever as well
    # (docs/adr/0008). The loop asks before it would sleep with nothing of its own to wait for.
    #
    # @api private
    module DeadlockWatch
      # Seconds. Other threads may end, or fall asleep, without waking the loop.
      AGAIN = 2
      # Seconds. A thread that has been woken counts as asleep until it runs.
      CONFIRM = 1
      private_constant :AGAIN, :CONFIRM

      private

      def init_deadlock_watch(handler)
        @on_deadlock = handler
        self.detects_deadlocks = !handler.nil?
      end

      # @return [Numeric, nil] seconds to sleep at the longest; nil: no bound
      def check_deadlock
        others = Thread.list - [Thread.current]
        return (AGAIN if others.any?) unless stuck?(others)
        return CONFIRM if others.any? && news?

        self.detects_deadlocks = !!Fiber.blocking { @on_deadlock.call(parked) }
        nil
      end

      def stuck?(others)
        waits.all? { |wait| Slumber.fiber_stuck?(wait) } &&
          others.all? { |thread| Slumber.thread_stuck?(thread) }
      end

      # @return [Boolean] whether anybody has run since the last time
      def news?
        now = waits.map { |fiber, *, since| [fiber, since] }
        (now != @stall).tap { @stall = now }
      end
    end
  end
end
