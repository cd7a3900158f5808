# frozen_string_literal: true

require_relative "../base/clock"
require_relative "../base/error"

module Raffia
  # A token bucket: a rate on average, and at most `burst` at once. Tasks and plain threads are
  # served in their order.
  #
  #   limiter = Raffia::RateLimiter.new(100, per: 60)
  #   limiter.acquire
  class RateLimiter
    # @return [Numeric]
    attr_reader :rate, :per, :burst

    # @param rate [Numeric] tokens
    # @param per [Numeric] in this many seconds
    # @param burst [Numeric, nil] tokens that the bucket holds; it starts full. nil: `rate`, and at
    #   least 1
    # @raise [ConfigError]
    def initialize(rate, per: 1, burst: nil)
      @rate = positive(:rate, rate)
      @per = positive(:per, per)
      @burst = positive(:burst, burst || [rate, 1].max)
      @tokens = @burst.to_f
      @filled = Clock.now
      @lock = SpinLock.new
      # Only the first in the line waits for tokens. When it is cancelled, it has taken nothing.
      @turn = Semaphore.new(1)
    end

    # Waits until there are tokens, and takes them.
    # @param count [Numeric]
    # @param timeout [Numeric, nil] seconds to wait at most. The first in the line raises at once
    #   when they will not do
    # @return [self]
    # @raise [TimeoutError]
    # @raise [ConfigError] when the bucket can never hold so many
    def acquire(count = 1, timeout: nil)
      possible(count)
      limit = Clock.now + Deadline.seconds(timeout) if timeout
      @turn.synchronize(timeout: timeout) do
        while (wait = take(count))
          raise TimeoutError.new(seconds: timeout) if limit && Clock.now + wait > limit

          Waiter.nap(wait)
        end
      end
      self
    end

    # Takes tokens if there are enough and no other caller waits for them.
    # @return [Boolean]
    def try_acquire(count = 1)
      possible(count)
      return false unless @turn.try_acquire

      begin
        take(count).nil?
      ensure
        @turn.release
      end
    end

    private

    def positive(name, value)
      return value if value.is_a?(Numeric) && value.real? && value.positive?

      raise ConfigError, "a rate limiter's #{name} is a number above 0, not #{value.inspect}"
    end

    def possible(count)
      return if count.is_a?(Numeric) && count.real? && count.positive? && count <= @burst

      raise ConfigError, "#{count.inspect} tokens can never be had from a bucket of #{@burst}: " \
        "ask for less or make burst larger"
    end

    # Seconds that are missing; nil: taken.
    def take(count)
      @lock.hold do
        now = Clock.now
        @tokens = [@tokens + ((now - @filled) * @rate / @per), @burst].min
        @filled = now
        missing = count - @tokens
        # Rounding must not leave the last billionth of a token to be waited for again and again.
        next missing * @per / @rate.to_f if missing > 1e-9

        @tokens -= count
        nil
      end
    end
  end
end
