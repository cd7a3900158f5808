# frozen_string_literal: true

module Celluloid
  # Lets tasks and threads wait until another one signals.
  class Condition
    def initialize
      @guard = ::Raffia::SpinLock.new
      @waiters = []
    end

    # +timeout+: seconds.
    # What came with the signal, or what the block makes of it.
    # Raises ConditionError when the time is up, or in an exclusive method, which nobody could
    # signal to.
    def wait(timeout = nil)
      raise ConditionError, "cannot wait for signals while exclusive" if Celluloid.exclusive?

      value = if (task = ::Thread.current[:celluloid_task])
        wait_aside(task, timeout)
      else
        wait_still(timeout)
      end
      block_given? ? yield(value) : value
    end

    # Wakes the first that waits.
    def signal(value = nil)
      tell_spurious unless hand_over(value)
    end

    # Wakes the first that waits, if there is one.
    # Whether there was.
    # @api private
    def hand_over(value)
      while (waiter = @guard.hold { @waiters.shift })
        return true if waiter.settle(value)
      end
      false
    end

    # Wakes all that wait.
    def broadcast(value = nil)
      @guard.hold { @waiters.tap { @waiters = [] } }.each { |waiter| waiter.settle(value) }
    end

    def inspect = to_s

    private

    def wait_aside(task, timeout)
      suspension = add(task.arm)
      timer = task.cell.group.after(timeout) { suspension.fail(late(timeout)) && nil } if timeout
      task.suspend(:condwait)
    ensure
      timer&.cancel
      remove(suspension)
    end

    def wait_still(timeout)
      waiter = add(::Raffia::Waiter.new)
      value = waiter.wait(timeout)
      value.equal?(::Raffia::Waiter::TIMED_OUT) ? raise(late(timeout)) : value
    ensure
      remove(waiter)
    end

    def add(waiter) = @guard.hold { @waiters.push(waiter).last }

    def remove(waiter) = @guard.hold { @waiters.delete(waiter) }

    def late(timeout) = ConditionError.new("timeout after #{timeout.inspect} seconds")

    def tell_spurious
      Internals::Logger.with_backtrace(caller(3)) do |logger|
        logger.debug("Celluloid::Condition signaled spuriously")
      end
    end
  end
end
