# frozen_string_literal: true

require_relative "operations"

module Raffia
  class Pool
    # @api private
    module Retry
      # Whether, and when, an item that failed is tried again.
      class Policy
        # Random share of a pause, and the longest one: as Raffia.retry has them.
        JITTER = 0.5
        LONGEST = 60
        # Workers that may die in a row before they begin anything: then it is not the items.
        FALSE_STARTS = 10

        def initialize(options)
          @times = options.retries
          @errors = Array(options.retry_on).freeze
          @backoff = Backoff.new(options.backoff, JITTER, LONGEST, Random)
        end

        def plan(plan)
          trying = Operations::FOR[plan.operation]
          trying ? plan.with(operation: trying, seed: @errors) : plan
        end

        def worth?(failure) = failure.retryable?(@errors)

        # Seconds to wait before the next attempt; nil when there is none, or no time for it.
        def pause(failed, deadline = Raffia.deadline)
          return if failed > @times

          seconds = @backoff.after(failed)
          seconds unless deadline&.remaining&.<=(seconds)
        end
      end
    end
  end
end
