# frozen_string_literal: true

require_relative "../base/error"

module Raffia
  # Limits how many may do something at a time, tasks and plain threads alike, in their order.
  #
  #   limit = Raffia::Semaphore.new(10)
  #   limit.synchronize { fetch(url) }
  #
  # Acquisitions may have a weight. One that is too heavy for the room left waits at the head of the
  # line and holds up the lighter ones behind it, or it would starve.
  class Semaphore
    # @return [Integer]
    attr_reader :limit

    # @param limit [Integer]
    # @raise [ConfigError]
    def initialize(limit)
      @limit = checked(limit)
      @held = 0
      @lock = SpinLock.new
      @line = {}.compare_by_identity
    end

    # @param weight [Integer]
    # @param timeout [Numeric, nil] seconds to wait at most
    # @return [self]
    # @raise [TimeoutError]
    # @raise [ConfigError] when the weight is not positive, or beyond the limit
    def acquire(weight = 1, timeout: nil)
      Deadline.seconds(timeout) if timeout
      checked(weight)
      waiter = @lock.hold do
        fitting(weight)
        next if @line.empty? && grant(weight)

        Waiter.new.tap { |fresh| @line[fresh] = weight }
      end
      wait(waiter, weight, timeout) if waiter
      self
    end

    # Acquires if that is possible at once.
    # @return [Boolean]
    def try_acquire(weight = 1)
      checked(weight)
      @lock.hold { fitting(weight) && @line.empty? && grant(weight) }
    end

    # @return [self]
    # @raise [Error] when more is released than was acquired
    def release(weight = 1)
      checked(weight)
      @lock.hold do
        raise Error, "released #{weight}, but only #{@held} had been acquired" if weight > @held

        @held -= weight
        serve
      end
      self
    end

    # Acquires for the time of the block.
    # @return [Object] the block's value
    # @raise [TimeoutError, ConfigError] as {#acquire}
    def synchronize(weight = 1, timeout: nil)
      acquire(weight, timeout: timeout)
      begin
        yield
      ensure
        release(weight)
      end
    end

    # Changes the limit. Holders keep what they have. A caller that waits for more than the new
    # limit gets a {ConfigError}.
    # @param limit [Integer]
    # @return [self]
    def resize(limit)
      checked(limit)
      @lock.hold do
        @limit = limit
        refuse_too_heavy
        serve
      end
      self
    end

    # @return [Integer] negative after the limit shrank below what is held
    def available = @limit - @held

    # @return [Integer]
    def waiting = @line.size

    private

    def checked(number)
      return number if number.is_a?(Integer) && number.positive?

      raise ConfigError, "a semaphore counts in whole numbers from 1 up, not #{number.inspect}"
    end

    # Under the lock: {resize} refuses only those that are in the line.
    def fitting(weight)
      (weight <= @limit) || raise(too_heavy(weight))
    end

    def too_heavy(weight)
      ConfigError.new("a weight of #{weight} can never be granted by a semaphore of #{@limit}: " \
        "resize it or ask for less")
    end

    def refuse_too_heavy
      refused, @line = @line.partition { |_, weight| weight > @limit }
        .map { |part| part.to_h.compare_by_identity }
      refused.each { |waiter, weight| waiter.fail(too_heavy(weight)) }
    end

    def grant(weight)
      return false if weight > @limit - @held

      @held += weight
      true
    end

    def serve
      until @line.empty?
        waiter, weight = @line.first
        break unless grant(weight)

        @line.shift
        @held -= weight unless waiter.settle(true)
      end
    end

    def wait(waiter, weight, timeout)
      granted = waiter.wait!(timeout) { release(weight) }
    ensure
      # Perhaps it was this heavy one that held up the others.
      granted or @lock.hold { @line.delete(waiter) and serve }
    end
  end
end
