# frozen_string_literal: true

require_relative "../base/error"

module Raffia
  # Lets a number of parties continue when all have come; reusable at once.
  #
  #   barrier = Raffia::Barrier.new(4)
  #   4.times { scope.spawn { rounds.times { work; barrier.wait } } }
  #
  # A party whose wait times out or is cancelled breaks the barrier for all, until {#reset}. When
  # all have come, only the action can still break it, and no timeout counts any more. A party that
  # comes while the action runs waits for the next time. To wait for tasks to end, use a {Scope}.
  class Barrier
    # Another party gave up, or the barrier was reset: this wait cannot complete.
    class Broken < Error
    end

    # The parties that continue together; protected by the barrier's lock.
    class Generation
      attr_reader :waiters
      # The next one, when all parties have come.
      attr_accessor :following

      def initialize
        @waiters = []
        @broken = @opened = false
      end

      def broken? = @broken

      # The action has run. Returns the waiters to be settled.
      def open
        @opened = true
        @waiters
      end

      # For a party whose time was up when all had come already: another waiter for the action.
      def await_action
        waiter = Waiter.new
        @opened ? waiter.settle(true) : @waiters << waiter
        waiter
      end

      # Returns the waiters to be failed.
      def break_up
        @broken = true
        @waiters.slice!(0..)
      end
    end
    private_constant :Generation

    # @return [Integer]
    attr_reader :parties

    # @param parties [Integer] how many must come
    # @yield in the last party, before the others continue
    # @raise [ConfigError]
    def initialize(parties, &action)
      unless parties.is_a?(Integer) && parties.positive?
        raise ConfigError, "a barrier needs a whole number of parties from 1 up, not " \
          "#{parties.inspect}"
      end

      @parties = parties
      @action = action
      @lock = SpinLock.new
      @generation = Generation.new
    end

    # @param timeout [Numeric, nil] seconds to wait at most for the others to come
    # @return [Integer] which one this was: 0 came first
    # @raise [TimeoutError]
    # @raise [Broken] when another party gave up, or the barrier was reset
    def wait(timeout: nil)
      Deadline.seconds(timeout) if timeout
      waiter = Waiter.new
      generation, index = @lock.hold { enter(waiter) }
      (index == parties - 1) ? complete(generation) : await(generation, waiter, timeout)
      index
    end

    # @return [Boolean]
    def broken? = @generation.broken?

    # @return [Integer] parties that wait for others to come
    def waiting = @generation.waiters.size

    # Starts over. Parties that wait for others get {Broken}.
    # @return [self]
    def reset
      waiters = @lock.hold do
        former = @generation
        @generation = Generation.new
        former.break_up
      end
      fail_all(waiters)
      self
    end

    private

    # Under the lock. The generation, and the number of the party in it.
    def enter(waiter)
      generation = @generation
      raise broken if generation.broken?

      generation.waiters << waiter
      index = generation.waiters.size - 1
      @generation = generation.following = Generation.new if index == parties - 1
      [generation, index]
    end

    # All have come: this is the last one.
    def complete(generation)
      @action&.call
      opened = true
      @lock.hold { generation.open }.each { |waiter| waiter.settle(true) }
    ensure
      action_failed(generation) unless opened
    end

    def await(generation, waiter, timeout)
      met = waiter.wait(timeout) { met = true }
      met = time_up(generation, timeout) if met.equal?(Waiter::TIMED_OUT)
    ensure
      break_up(generation) unless met
    end

    # All pass or none: when the others have come meanwhile, the party passes with them.
    def time_up(generation, timeout)
      action = nil
      waiters = @lock.hold do
        next generation.break_up unless generation.following || generation.broken?

        action = generation.await_action unless generation.broken?
        []
      end
      return action.wait if action

      fail_all(waiters)
      raise TimeoutError.new(seconds: timeout)
    end

    def break_up(generation)
      fail_all(@lock.hold {
        (generation.following || generation.broken?) ? [] : generation.break_up
      })
    end

    # Parties that came later wait for the same action. A reset has failed them already.
    def action_failed(generation)
      waiters = @lock.hold do
        later = generation.following.equal?(@generation) ? @generation.break_up : []
        generation.break_up + later
      end
      fail_all(waiters)
    end

    def fail_all(waiters)
      waiters.each { |waiter| waiter.fail(broken) }
    end

    def broken
      Broken.new("another party gave up its wait at this barrier: reset it to start over")
    end
  end
end
