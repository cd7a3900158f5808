# frozen_string_literal: true

require_relative "../base/error"
require_relative "backoff"

module Raffia
  # Runs the block until it succeeds, with growing pauses. It never waits past a deadline: when the
  # pause would not end in time, the error is raised at once.
  #
  #   Raffia.retry(times: 5, backoff: 0.2, on: Errno::ECONNREFUSED) { |attempt| connect }
  #
  # @param times [Integer] attempts at most
  # @param backoff [Numeric, #call] seconds before the second attempt, doubled before each further
  #   one; or a callable that gets the number of the attempt that failed, from 1 up, and returns
  #   seconds
  # @param jitter [Numeric] 0..1: the random part of a pause, so that many clients do not come back
  #   at once
  # @param max [Numeric] seconds of a pause at most
  # @param on [Class, Module, Array] the errors to try again on; never Raffia::ConfigError
  # @param random [Random] for reproducible pauses
  # @yieldparam attempt [Integer] from 1 up
  # @return [Object] the block's value
  # @raise [StandardError] the last error
  # @raise [ConfigError]
  def self.retry(times: 3, backoff: 0.1, jitter: 0.5, max: 60, on: StandardError, random: Random)
    unless times.is_a?(Integer) && times.positive?
      raise ConfigError, "retry needs a number of attempts from 1 up, not #{times.inspect}"
    end

    pause = Backoff.new(backoff, jitter, max, random)
    (1..times).each do |attempt|
      return yield attempt
    rescue ConfigError
      raise
    rescue *on
      seconds = pause.after(attempt)
      raise if attempt == times || deadline&.remaining&.<=(seconds)

      Waiter.nap(seconds)
    end
  end
end
