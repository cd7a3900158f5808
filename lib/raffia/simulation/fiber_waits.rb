# frozen_string_literal: true

require_relative "time_limits"

module Raffia
  module Simulation
    # Waits of fibers for something that unblocks them: a Mutex, a Queue, a thread. The wait is that
    # of the fiber in a thread with a scheduler of its own, else that of the simulated thread.
    #
    # @api private
    class FiberWaits
      # Limits of calls that wait, perhaps several times.
      attr_reader :limits

      def initialize(world)
        @thread_scheduler = world.thread_scheduler
        @switcher = @thread_scheduler.switcher
        @waiters = {}.compare_by_identity # fiber => the thread or scheduler in which it blocks
        @blocking = {}.compare_by_identity # fibers
        @limits = TimeLimits.new(world.clock)
      end

      # Hook of core. Whether the fiber was unblocked before the timeout.
      def block(blocker, timeout)
        timeout ||= @limits.remaining(::Fiber.current)
        scheduler = self.scheduler
        woken = enlist(scheduler || @switcher.running) do
          next scheduler.block(blocker, timeout) if scheduler

          @thread_scheduler.suspend(:block, blocker, timeout) == :woken
        end
        @limits.expire(::Fiber.current) unless woken
        woken
      end

      # Hook of core, which names only the fiber.
      def unblock(blocker, fiber)
        waiter = @waiters[fiber] or return
        return waiter.unblock(blocker, fiber) if waiter.is_a?(FiberScheduler)

        @thread_scheduler.wake(waiter, :woken)
      end

      # Suspends the running thread for some seconds, nil for any number, or until it is unblocked.
      def sleep(seconds)
        @waiters[fiber = ::Fiber.current] = @switcher.running
        @thread_scheduler.suspend(:sleep, nil, seconds)
      ensure
        @waiters.delete(fiber)
      end

      # Runs the block, in which the running fiber can be unblocked. +waiter+: a thread, or a
      # scheduler.
      def enlist(waiter)
        fiber = ::Fiber.current
        @waiters[fiber] = waiter
        yield
      ensure
        @waiters.delete(fiber)
      end

      # The Fiber scheduler of the running fiber; nil in a thread's main fiber, in a blocking fiber,
      # and in a thread without one.
      def scheduler
        thread = @switcher.running
        scheduler = thread.scheduler or return
        fiber = ::Fiber.current
        scheduler unless thread.main_fiber.equal?(fiber) || @blocking[fiber]
      end

      # Runs the block so that its waits are those of the thread, not of the running fiber, which it
      # yields.
      def blocking
        fiber = ::Fiber.current
        before = @blocking[fiber]
        @blocking[fiber] = true
        yield fiber
      ensure
        @blocking.delete(fiber) unless before
      end
    end
  end
end
