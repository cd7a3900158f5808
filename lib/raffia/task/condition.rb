# frozen_string_literal: true

require_relative "../base/error"

module Raffia
  # Lets fibers and threads wait until something has changed. Like Thread::ConditionVariable, with
  # values, timeouts and cancellation, and without spurious wake-ups.
  #
  #   lock.synchronize { condition.wait(lock) until ready? }
  #   lock.synchronize { make_ready; condition.broadcast }
  #
  # Fibers of one thread need no mutex: no other fiber runs between the check of `ready?` and the
  # wait.
  class Condition
    def initialize
      @lock = SpinLock.new
      @line = {}.compare_by_identity
    end

    # Waits for {#signal} or {#broadcast}. A given mutex is released meanwhile and held again
    # afterwards, also after an exception.
    #
    # @param mutex [Thread::Mutex, nil]
    # @param timeout [Numeric, nil] seconds to wait at most
    # @return [Object] the value that came with the signal
    # @raise [TimeoutError]
    def wait(mutex = nil, timeout: nil)
      Deadline.seconds(timeout) if timeout
      waiter = Waiter.new
      # In the line before the mutex is released, or a signal could slip through.
      @lock.hold { @line[waiter] = true }
      released(mutex) { receive(waiter, timeout) }
    ensure
      @lock.hold { @line.delete(waiter) }
    end

    # Wakes the party that has waited longest.
    # @return [Boolean] whether there was one
    def signal(value = nil)
      @lock.hold do
        until @line.empty?
          return true if @line.shift.first.settle([:signal, value])
        end
      end
      false
    end

    # Wakes all waiting parties.
    # @return [Integer] how many there were
    def broadcast(value = nil)
      @lock.hold do
        woken = @line.keys.count { |waiter| waiter.settle([:broadcast, value]) }
        @line.clear
        woken
      end
    end

    # @return [Integer] how many wait
    def waiting = @line.size

    private

    # A signal whose receiver was cancelled before it could run goes to the next.
    def receive(waiter, timeout)
      waiter.wait!(timeout) { |kind, value| signal(value) if kind == :signal }.last
    end

    def released(mutex)
      return yield unless mutex

      mutex.unlock
      begin
        yield
      ensure
        # The caller's synchronize will unlock it, so the way back in must not be cut short.
        Raffia.shield { mutex.lock }
      end
    end
  end
end
