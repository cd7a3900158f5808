# frozen_string_literal: true

require_relative "../base/clock"

module Raffia
  # One party that waits for one event: a fiber under a scheduler, or a plain thread. All waits of
  # this component are built on it.
  #
  # It is settled once: by the event, the timeout or a cancellation. Later ones get false from
  # {#settle} and can offer the event to another waiter. A waiter is used for one wait and thrown
  # away, so a late wake-up cannot reach the next wait.
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

    # Waits for some time, or until the task is cancelled.
    # @param seconds [Numeric]
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

    # Hands over the event. Any thread, any fiber, not only once.
    # @return [Boolean] whether the waiter took it; false: it is already served, or has gone
    def settle(value = nil)
      conclude(:value, value)
    end

    # Ends the wait with an exception, which #wait raises.
    # @return [Boolean] as #settle
    def fail(error)
      conclude(:error, error)
    end

    # @return [Boolean] whether it is served or gone
    def settled? = !!@state

    # Waits, in the fiber or thread that made this waiter.
    #
    # @param timeout [Numeric, nil] seconds; nil waits for as long as it takes
    # @yieldparam value [Object] what had already been handed over when the wait was broken off by
    #   an exception: the block gives it back to where it came from, so that cancelling a waiter in
    #   the middle of a handover loses nothing
    # @return [Object] the settled value, or {TIMED_OUT}
    # @raise [Cancel] when the task was or is cancelled and not shielded
    # @raise [TimeoutError] when a deadline that this fiber or thread inherited passes first
    def wait(timeout = nil, &give_back)
      passed = stay(timeout, &give_back)
      case @state
      when :error then raise @value
      when :timeout then passed ? passed.expire : TIMED_OUT
      else @value
      end
    end

    # As {wait}, for one that may have been settled before: then there is nothing to wait for, and
    # it costs nothing.
    # @return [Object]
    # @raise [Exception]
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

    # @return [Deadline, nil] the deadline, when it came before the timeout and ended the wait
    def park(timeout, deadline)
      limit = Clock.now + timeout if timeout
      limit = deadline.at if (inherited = deadline && (limit.nil? || deadline.at < limit))
      until @state
        remaining = limit - Clock.now if limit
        return (deadline if inherited) if remaining && remaining <= 0 && conclude(:timeout, nil)
        suspend(remaining) if announce
      end
      # The timer may have been what woke us, with the unblock still to come: meet it here rather
      # than in the next wait.
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
        # Inside of the lock: when the party sees the new state, its wake-up is already on the way
        # and can be awaited.
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

    # Stays for one turn of the loop, so that a wake-up meant for this wait cannot reach a later
    # one. Schedulers that match wake-ups with waits by their blocker do not need it; for the others
    # it closes the gap.
    def absorb
      @scheduler&.block(self, 0)
    end
  end
end
