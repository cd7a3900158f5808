# frozen_string_literal: true

require_relative "../base/clock"

module Raffia
  # One party that waits for one event: a fiber under a scheduler, or a plain thread. All waits of
  # this component are built on it.
  #
  # It is settled once: by the event, the timeout or a cancellation. Later ones get false from
  # {#settle} and can offer the event to another waiter. It is used for one wait, so a late wake-up
  # cannot reach the next wait.
  #
  # Any thread may settle it, before, during or after the start of the wait. Exactly one `unblock`
  # follows if, and only if, the party has announced under the lock that it parks; it then stays
  # until that has come. A scheduler keeps an `unblock` that arrives between the announcement and
  # the `block`.
  #
  # @api private
  class Waiter
    # Result of {#wait} when the time was up first.
    TIMED_OUT = Object.new.freeze

    # Waits for some seconds, or until the task is cancelled.
    def self.nap(seconds)
      new.wait(seconds)
      nil
    end

    def initialize
      @lock = SpinLock.new
      @state = nil
      @value = nil
      @parked = false
      if (@scheduler = Fiber.current_scheduler)
        @fiber = Fiber.current
      else
        @queue = Thread::Queue.new
      end
    end

    # Delivers the event; any thread, repeatedly. False: it is already settled, or has gone.
    def settle(value = nil)
      conclude(:value, value)
    end

    # Ends the wait with an exception, which #wait raises. Returns as #settle.
    def fail(error)
      conclude(:error, error)
    end

    def settled? = !!@state

    # Waits, in the fiber or thread that made this waiter, and returns the settled value or
    # {TIMED_OUT}. When an exception breaks off the wait, the block gets a value that had been
    # delivered already, and gives it back: so no event is lost. Raises Cancel when the task is
    # cancelled and not shielded, and TimeoutError when an inherited deadline passes first.
    def wait(timeout = nil, &give_back)
      passed = stay(timeout, &give_back)
      case @state
      when :error then raise @value
      when :timeout then passed ? passed.expire : TIMED_OUT
      else @value
      end
    end

    # Like {wait}, but raises TimeoutError when the time is up.
    def wait!(timeout, &)
      value = wait(timeout, &)
      value.equal?(TIMED_OUT) ? raise(TimeoutError.new(seconds: timeout)) : value
    end

    # Like {wait}, but free of cost when it has been settled before.
    def take
      return wait unless @state == :value && !@parked

      CancellationStack.current&.check!
      @value
    end

    private

    def stay(timeout, &give_back)
      stack = CancellationStack.current
      stack&.enter_wait(self)
      deadline = Raffia.deadline
      # One that this fiber has entered itself is watched by its alarm.
      passed = park(timeout, (deadline unless stack&.alarmed?(deadline)))
      stayed = true
      passed
    ensure
      stack&.leave_wait
      abandon(&give_back) unless stayed
    end

    # The deadline, when it came before the timeout and ended the wait.
    def park(timeout, deadline)
      limit = Clock.now + timeout if timeout
      limit = deadline.at if (inherited = deadline && (limit.nil? || deadline.at < limit))
      until @state
        remaining = limit - Clock.now if limit
        return (deadline if inherited) if remaining && remaining <= 0 && conclude(:timeout, nil)
        suspend(remaining) if announce
      end
      # Perhaps the timer woke us and the unblock is still to come: absorb it here, not in the next
      # wait.
      absorb if @parked && limit && Clock.now >= limit
      nil
    end

    def suspend(remaining)
      @queue ? @queue.pop(timeout: remaining) : @scheduler.block(self, remaining)
      # Not in an ensure: after an exception, `abandon` has to know that we were parked.
      @lock.hold { @parked = false unless @state }
    end

    def announce
      @lock.hold { @parked = true unless @state }
    end

    def conclude(state, value)
      @lock.hold do
        return false if @state

        @state = state
        @value = value
        # Under the lock: when the party sees the new state, its wake-up is on the way.
        wake if @parked
      end
      true
    end

    def wake
      @queue ? @queue.push(true) : @scheduler.unblock(self, @fiber)
    end

    def abandon
      return if @lock.hold { @state.nil? && @state = :abandoned }

      yield @value if @state == :value && block_given?
      absorb if @parked
    end

    # Stays for one turn of the loop, so that a wake-up of this wait cannot reach a later one. Only
    # schedulers that do not match wake-ups by their blocker need it.
    def absorb
      @scheduler&.block(self, 0)
    end
  end
end
