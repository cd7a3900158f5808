# frozen_string_literal: true

require_relative "time_limit"
require_relative "readiness_wait"

module Raffia
  module Simulation
    # The Fiber scheduler of the real thread that runs worlds: Ruby calls its hooks for each wait.
    # They go on to the scheduler of the simulated thread, if it has one and the running fiber is
    # not its main one; else they suspend the simulated thread.
    #
    # @api private
    class Dispatcher
      attr_accessor :world

      def block(blocker, timeout = nil) = @world.block(blocker, timeout)

      def unblock(blocker, fiber) = @world.unblock(blocker, fiber)

      def kernel_sleep(duration = nil)
        scheduler = @world.fiber_scheduler
        return within(scheduler) { scheduler.kernel_sleep(duration) } if scheduler

        asleep(duration)
        true
      end

      def io_wait(io, events, timeout = nil)
        return events if ::BasicSocket === io && @world.faults.happens?(:spurious, "io_wait")

        scheduler = @world.fiber_scheduler
        return scheduler.io_wait(io, events, timeout) if scheduler

        ReadinessWait.new(@world).wait(io, events, timeout)
      end

      def io_select(readables, writables = nil, exceptables = nil, timeout = nil)
        scheduler = @world.fiber_scheduler
        return scheduler.io_select(readables, writables, exceptables, timeout) if scheduler

        ReadinessWait.new(@world).select([readables, writables, exceptables], timeout)
      end

      # Only fibers get here: Timeout.timeout of a thread is replaced.
      def timeout_after(duration, klass, message = nil, &block)
        scheduler = @world.fiber_scheduler
        return scheduler.timeout_after(duration, klass, message, &block) if scheduler

        TimeLimit.new(@world).call(duration, klass, message, &block)
      end

      def fiber(**, &)
        scheduler = @world.running.scheduler or raise "No scheduler is available!"
        scheduler.fiber(**, &)
      end

      def fiber_interrupt(fiber, exception)
        @world.fiber_scheduler&.fiber_interrupt(fiber, exception)
      end

      def address_resolve(hostname) = @world.network.names.resolve(hostname)

      def process_wait(pid, flags)
        ::Fiber.real_blocking { ::Process::Status.wait(pid, flags) }
      end

      def close = nil

      private

      # For unblock, which names the fiber only.
      def within(scheduler)
        @world.waiters[fiber = ::Fiber.current] = scheduler
        yield
      ensure
        @world.waiters.delete(fiber)
      end

      # ConditionVariable#wait is a sleep to core, and woken by `unblock`.
      def asleep(duration)
        duration &&= Scheduler.interval(duration)
        @world.waiters[fiber = ::Fiber.current] = @world.running
        @world.suspend(:sleep, nil, duration)
      ensure
        @world.waiters.delete(fiber)
      end
    end
  end
end
