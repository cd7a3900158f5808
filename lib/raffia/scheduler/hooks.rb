# frozen_string_literal: true

require_relative "child_wait"
require_relative "selection"

module Raffia
  class Scheduler
    # Core's hooks that are called less often than those of {Native} and {Portable}. Ruby documents
    # them under Fiber::Scheduler.
    #
    # @api private
    module Hooks
      # Hook of Ruby 4.0, offered on every Ruby: raises the exception where the fiber waits, or will
      # wait next. Any thread may call it. While the fiber is resuming an Enumerator, that is
      # interrupted.
      def fiber_interrupt(fiber, exception)
        return if closed? || !fiber.alive? || !mark_interrupted(fiber)

        @interrupts.send_to(fiber, exception)
        nil
      end

      # Interrupts every fiber that waits, except the running one.
      def interrupt_all(exception)
        fibers = waits.map { |_fiber, owner| owner }.uniq - [Fiber.current]
        fibers.each { |fiber| fiber_interrupt(fiber, exception) }
      end

      # Hook of Timeout.timeout. Timeout's own class is hidden within the block.
      def timeout_after(duration, klass, message = nil, &)
        @interrupts.limit(duration, klass, message, &)
      end

      # Hook of IO.select.
      def io_select(readables, writables = nil, exceptables = nil, timeout = nil)
        Selection.new(self, [readables, writables, exceptables], timeout).wait
      end

      # Hook of Process.wait, Process::Status.wait, system and backticks.
      def process_wait(pid, flags) = ChildWait.new(self, pid, flags).status

      # Hook of all that looks up names. libc does it, with all of its configuration, on a thread of
      # the engine. An interrupt does not wait for it.
      def address_resolve(hostname) = @offload.resolve(hostname)

      # Hook of Ruby 3.4 for C code that releases the GVL and may run on any thread: file-system
      # calls, zlib, long divisions. Short operations run in the fiber: the engine's policy decides
      # by the time that each has taken.
      def blocking_operation_wait(work)
        # Called here because both examine the caller of this hook.
        done = @policy&.run(work)
        return if done == true
        return io_closed if done == :closed
        return close_blocking(work) if done.nil? && Engine.closing?

        @offload.run_operation(work, done)
      end

      # Runs the block where it cannot hold up the other fibers, and returns its value.
      def offloaded(&) = @offload.call(&)

      # Like `park`, for some seconds at most.
      def park_within(seconds, uninterruptible = false, subject = nil)
        timer = nil
        park(uninterruptible, subject) do |wait|
          timer = engine.after(seconds, wait)
          yield wait
        end
      ensure
        engine.disarm(timer) if timer && !closed?
      end

      private

      # In a fiber that is not blocking, the operation would call the hook again.
      def close_blocking(work)
        Fiber.blocking { work.call }
        io_closed
      end

      # Ruby 3.4 makes IO::TimeoutError of `false` itself; Ruby 3.3 makes Errno::EAGAIN of it.
      def io_timed_out(limit)
        return false if RUBY_VERSION >= "3.4"

        raise IO::TimeoutError, "not ready within the #{limit} s of IO#timeout"
      end

      def take_postponed(owner, fiber) = @interrupts.take(owner, fiber)

      def await_fiber_slot(error) = @fiber_limit.await_slot(error)

      def fiber_ended = @fiber_limit.notify

      def check_deadlock = @deadlock_check.call
    end
  end
end
