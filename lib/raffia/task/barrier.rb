# frozen_string_literal: true

require_relative "../base/error"

module Raffia
  # A meeting point: nobody goes on before all have come. It can be used again as soon as they have gone on.
  #
  #   barrier = Raffia::Barrier.new(4)
  #   4.times { scope.spawn { rounds.times { work; barrier.wait } } }
  #
  # When one of them will not come (its wait timed out or was cancelled), the others would wait for ever: the barrier is then
  # broken for all, until {#reset}. To wait for tasks to end, use a {Scope}.
  class Barrier
    # Somebody else's wait was broken off, so this one will never be complete.
    class Broken < Error
    end

    # @return [Integer]
    attr_reader :parties

    # @param parties [Integer] how many must come
    # @yield in the one who comes last, before the others go on
    # @raise [ConfigError]
    def initialize(parties, &action)
      unless parties.is_a?(Integer) && parties.positive?
        raise ConfigError, "a barrier needs a whole number of parties from 1 up, not #{parties.inspect}"
      end

      @parties = parties
      @action = action
      @guard = Guard.new
      @present = []
    end

    # @param timeout [Numeric, nil] seconds to wait at most
    # @return [Integer] which one this was: 0 came first
    # @raise [TimeoutError]
    # @raise [Broken] when somebody else gave up
    def wait(timeout: nil)
      Deadline.seconds(timeout) if timeout
      index = nil
      waiter = @guard.hold do
        raise broken if @broken

        index = @present.size
        @present << (fresh = Waiter.new)
        fresh
      end
      (index == parties - 1) ? open : await(waiter, timeout)
      index
    end

    # @return [Boolean]
    def broken? = !!@broken

    # @return [Integer] how many have come and wait
    def waiting = @present.size

    # Makes a broken barrier as new. Whoever waits is sent away with {Broken}.
    # @return [self]
    def reset
      give_up
      @broken = false
      self
    end

    private

    def open
      @action&.call
      opened = true
      release { |waiter| waiter.settle(true) }
    ensure
      give_up unless opened
    end

    def await(waiter, timeout)
      met = waiter.wait(timeout) { met = true }
      return unless met.equal?(Waiter::TIMED_OUT)

      met = nil
      raise TimeoutError.new(seconds: timeout)
    ensure
      give_up unless met || broken?
    end

    def give_up
      @broken = true
      release { |waiter| waiter.fail(broken) }
    end

    def release(&)
      @guard.hold { @present.slice!(0..) }.each(&)
    end

    def broken = Broken.new("another party gave up its wait at this barrier: reset it to start over")
  end
end
