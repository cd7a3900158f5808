# frozen_string_literal: true

require_relative "sleep_inspection"

module Raffia
  class Scheduler
    # Detects that no fiber can ever resume (docs/adr/0008). The loop calls it before a sleep that
    # no operation will end.
    #
    # @api private
    class DeadlockCheck
      # Seconds. Other threads may end, or fall asleep, without waking the loop.
      INTERVAL = 2
      # Seconds. A thread that has been woken counts as asleep until it runs.
      CONFIRMATION = 1
      private_constant :INTERVAL, :CONFIRMATION

      def initialize(scheduler, handler)
        @scheduler = scheduler
        @handler = handler
        @last_waits = nil
        scheduler.detects_deadlocks = !handler.nil?
      end

      # Seconds to sleep at most; nil: no limit.
      def call
        others = Thread.list - [Thread.current]
        return (INTERVAL if others.any?) unless stuck?(others)
        return CONFIRMATION if others.any? && progress?

        @scheduler.detects_deadlocks = !!Fiber.blocking { @handler.call(@scheduler.parked) }
        nil
      end

      private

      def stuck?(others)
        @scheduler.waits.all? { |wait| SleepInspection.fiber_stuck?(wait) } &&
          others.all? { |thread| SleepInspection.thread_stuck?(thread) }
      end

      def progress?
        waits = @scheduler.waits.map { |fiber, *, since| [fiber, since] }
        (waits != @last_waits).tap { @last_waits = waits }
      end
    end
  end
end
