# frozen_string_literal: true

module Raffia
  module Jobs
    class Worker
      # Retries calls of an unavailable store with exponential backoff. Logs when it becomes
      # unavailable and when it answers again.
      # @api private
      class Backoff
        # Seconds between two attempts: at first and at most.
        FIRST = 0.1
        MAX = 5.0

        # Message of the error while the store is unavailable.
        attr_reader :last_error

        # Yields with each failure.
        def initialize(log, &on_failure)
          @log = log
          @on_failure = on_failure
        end

        # Returns the block's value; nil when +give_up+ is true after a failure or a pause.
        def attempt(give_up = nil, sleeper: nil)
          pause = FIRST
          begin
            value = yield
            recovered if @last_error
            value
          rescue StoreUnavailable => error
            failed(error)
            return if give_up&.call

            seconds = pause * (0.8 + rand * 0.4) # jitter: not all workers at once
            sleeper ? sleeper.call(seconds) : Waiter.nap(seconds)
            return if give_up&.call

            pause = [pause * 2, MAX].min
            retry
          end
        end

        private

        def failed(error)
          @on_failure&.call
          @log.error({event: "store unavailable", error: error.message}) unless @last_error
          @last_error = error.message
        end

        def recovered
          @last_error = nil
          @log.warn({event: "store available"})
        end
      end
    end
  end
end
