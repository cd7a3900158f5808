# frozen_string_literal: true

module Celluloid
  # Lets tasks and threads wait until another one signals.
  class Condition
    def initialize
      @lock = ::Raffia::SpinLock.new
      @waiters = []
    end

    # Raises ConditionError when the time is up, and in an exclusive method, which cannot be
    # signalled.
    def wait(timeout = nil)
      raise ConditionError, "cannot wait for signals while exclusive" if Celluloid.exclusive?

      value = if (task = ::Thread.current[:celluloid_task])
        wait_suspended(task, timeout)
      else
        wait_blocking(timeout)
      end
      block_given? ? yield(value) : value
    end

    def signal(value = nil)
      log_spurious unless wake_first(value)
    end

    # Whether one waited.
    def wake_first(value)
      while (waiter = @lock.hold { @waiters.shift })
        return true if waiter.settle(value)
      end
      false
    end

    def broadcast(value = nil)
      @lock.hold { @waiters.tap { @waiters = [] } }.each { |waiter| waiter.settle(value) }
    end

    def inspect = to_s

    private

    def wait_suspended(task, timeout)
      suspension = add(task.arm)
      timer = task.cell.group.after(timeout) { suspension.fail(late(timeout)) && nil } if timeout
      task.suspend(:condwait)
    ensure
      timer&.cancel
      remove(suspension)
    end

    def wait_blocking(timeout)
      waiter = add(::Raffia::Waiter.new)
      value = waiter.wait(timeout)
      value.equal?(::Raffia::Waiter::TIMED_OUT) ? raise(late(timeout)) : value
    ensure
      remove(waiter)
    end

    def add(waiter) = @lock.hold { @waiters.push(waiter).last }

    def remove(waiter) = @lock.hold { @waiters.delete(waiter) }

    def late(timeout) = ConditionError.new("timeout after #{timeout.inspect} seconds")

    def log_spurious
      Internals::Logger.with_backtrace(caller(3)) do |logger|
        logger.debug("Celluloid::Condition signaled spuriously")
      end
    end
  end
end
