# frozen_string_literal: true

module Raffia
  class Scheduler
    # Tells what may end a sleep without a limit. Kernel#sleep waits for a signal, or to be woken.
    # ConditionVariable#wait is a sleep to core as well, and waits for another thread or fiber. The
    # backtrace tells them apart.
    #
    # @api private
    module SleepInspection
      # Frames of core: Mutex#sleep, and its caller.
      DEPTH = 8
      # Methods of Queue, Mutex, Monitor and Thread that wait for another thread or fiber.
      WAITS = %w[pop shift deq push enq << lock synchronize enter mon_enter join value].freeze
      FOREVER = "sleep_forever>"
      private_constant :DEPTH, :WAITS, :FOREVER

      module_function

      def describe(limit, fiber)
        return "asleep for #{limit.round(3)} s" if limit

        condition?(frames(fiber)) ? "a condition variable" : "asleep until it is woken"
      end

      # Whether only other fibers and threads can end the wait.
      def fiber_stuck?(wait)
        fiber, _owner, reason = wait
        reason == :block || (reason == :sleep && condition?(frames(fiber)))
      end

      # The same for a thread's sleep; false for a wait for another Ractor.
      def thread_stuck?(thread)
        return false unless ::Thread.instance_method(:inspect).bind_call(thread).end_with?(FOREVER)

        frames = frames(thread)
        first = frames.first or return false
        (WAITS.include?(first.base_label) && first.path != "<internal:ractor>") ||
          condition?(frames)
      end

      def frames(sleeper) = sleeper.backtrace_locations(0, DEPTH).to_a

      def condition?(frames)
        index = frames.index { |frame| frame.base_label == "sleep" } or return false
        sleeping, caller = frames[index, 2]
        return caller&.label == "Thread::ConditionVariable#wait" if RUBY_VERSION >= "3.4"

        # Ruby 3.3 names methods without their class, but methods of core have their caller's line.
        caller&.base_label == "wait" && caller.path == sleeping.path &&
          caller.lineno == sleeping.lineno
      end
    end
  end
end
