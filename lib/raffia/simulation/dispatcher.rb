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
      # The world that runs.
      def world=(world)
        @world = world
        @waits = world.fiber_waits
      end

      def block(blocker, timeout = nil) = @waits.block(blocker, timeout)

      def unblock(blocker, fiber) = @waits.unblock(blocker, fiber)

      # Also that of ConditionVariable#wait, which `unblock` ends.
      def kernel_sleep(duration = nil)
        scheduler = @waits.scheduler
        return @waits.enlist(scheduler) { scheduler.kernel_sleep(duration) } if scheduler

        duration &&= Scheduler.interval(duration)
        @waits.sleep(duration)
        true
      end

      def io_wait(io, events, timeout = nil)
        return events if ::BasicSocket === io && @world.faults.happens?(:spurious, "io_wait")

        scheduler = @waits.scheduler || ReadinessWait.new(@world)
        @world.interest.during_wait(io) { scheduler.io_wait(io, events, timeout) }
      end

      def io_select(readables, writables = nil, exceptables = nil, timeout = nil)
        scheduler = @waits.scheduler
        return scheduler.io_select(readables, writables, exceptables, timeout) if scheduler

        ReadinessWait.new(@world).select([readables, writables, exceptables], timeout)
      end

      # Only fibers get here: Timeout.timeout of a thread is replaced.
      def timeout_after(duration, klass, message = nil, &block)
        scheduler = @waits.scheduler
        return scheduler.timeout_after(duration, klass, message, &block) if scheduler

        TimeLimit.new(@world).call(duration, klass, message, &block)
      end

      def fiber(**, &)
        scheduler = @world.running.scheduler or raise "No scheduler is available!"
        scheduler.fiber(**, &)
      end

      def fiber_interrupt(fiber, exception)
        @waits.scheduler&.fiber_interrupt(fiber, exception)
      end

      def address_resolve(hostname) = @world.network.names.resolve(hostname)

      def process_wait(pid, flags)
        ::Fiber.real_blocking { ::Process::Status.wait(pid, flags) }
      end

      def close = nil
    end
  end
end
