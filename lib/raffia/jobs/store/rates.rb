# frozen_string_literal: true

require_relative "rate_limiter"

module Raffia
  module Jobs
    class Store
      # Rates: how many jobs of a key may start in a time. {Claims#claim} enforces them, because a
      # rate must hold for all workers. A job over its rate moves to `blocked`, and other jobs of
      # its key with it; {Schedule#promote} moves them back when they may start. A rate uses the
      # store's clock.
      class Rates < Group
        # @param key [String]
        # @return [Hash] {"name", "key", "allow", "per", "burst", "style", "tokens" (starts that may
        #   happen now), "opens_at" (when a blocked job may start, nil: none is blocked),
        #   "closed_until" (nil: it is not closed), "blocked" (jobs)}; {} for a key without a start
        def rate(key) = raise(NotImplementedError)

        # @return [Array<Hash>] of {#rate}, those with blocked jobs first, by key
        def rates(offset: 0, limit: 50) = raise(NotImplementedError)

        # Lets no job of the key start for so many seconds.
        def close_rate(key, seconds) = raise(NotImplementedError)

        # Changes a limit for all jobs, also those that are enqueued already.
        # @param name [String] of the limit, by default the job's class
        # @param rule [Hash, nil] "allow", "per", "burst", "style"; nil: as jobs have it
        def change_rate(name, rule) = raise(NotImplementedError)
      end
    end
  end
end
