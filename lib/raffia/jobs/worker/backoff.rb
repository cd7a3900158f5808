# frozen_string_literal: true

require_relative "../error"
require_relative "../../task"

module Raffia
  module Jobs
    class Worker
      # Retries calls of an unavailable store with exponential backoff. Logs once when the store
      # becomes unavailable and once when it answers again.
      #
      # @api private
      class Backoff
        # Seconds between two attempts: at first and at most.
        FIRST = 0.1
        MAX = 5.0

        # @return [String, nil] message of the error while the store is unavailable
        attr_reader :last_error

        # @param log [Logger]
        def initialize(log)
          @log = log
          @unavailable = false
        end

        # @param give_up [#call, nil] asked after each failure and after each pause
        # @param sleeper [#call] waits for a number of seconds
        # @return [Object] what the block returns; nil when it was given up
        def attempt(give_up = nil, sleeper: Waiter.method(:nap))
          pause = FIRST
          begin
            yield.tap { recovered if @unavailable }
          rescue StoreUnavailable => error
            failed(error)
            return if give_up&.call

            sleeper.call(pause * (0.8 + rand * 0.4)) # jitter: not all workers at once
            return if give_up&.call

            pause = [pause * 2, MAX].min
            retry
          end
        end

        private

        def failed(error)
          @log.error({event: "store unavailable", error: error.message}) unless @unavailable
          @unavailable = true
          @last_error = error.message
        end

        def recovered
          @unavailable = false
          @last_error = nil
          @log.warn({event: "store available"})
        end
      end
    end
  end
end
