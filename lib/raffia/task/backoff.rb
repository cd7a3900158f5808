# frozen_string_literal: true

require_relative "../base/error"

module Raffia
  # Growing pauses between attempts.
  #
  # @api private
  class Backoff
    def initialize(base, jitter, max, random)
      @base = base.respond_to?(:call) ? base : Deadline.seconds(base)
      @max = Deadline.seconds(max)
      @jitter = jitter
      @random = random
      return if jitter.is_a?(Numeric) && jitter.real? && (0..1).cover?(jitter)

      raise ConfigError, "the jitter of a backoff is a number from 0 to 1, not #{jitter.inspect}"
    end

    # Seconds to wait after this attempt, counted from 1.
    def after(attempt)
      seconds = @base.respond_to?(:call) ? @base.call(attempt) : @base * (2**(attempt - 1))
      [seconds, @max].min * (1 - (@jitter * @random.rand))
    end
  end
end
