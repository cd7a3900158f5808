# frozen_string_literal: true

require_relative "unknown_claims"

module Raffia
  module Jobs
    class Store
      # Removes old data and checks the rest. Any worker may do it at any time.
      class Maintenance < Group
        # Removes dead jobs, ended batches and flows, values and statistics that are too old.
        # @param dead_for [Numeric] seconds
        # @param dead_max [Integer] the newest ones stay
        # @param batches_for [Numeric] seconds after the end of batches and flows
        def prune(dead_for: 180 * 86_400, dead_max: 10_000, batches_for: 7 * 86_400)
          raise NotImplementedError
        end

        # Checks the invariants of everything that is stored.
        # @return [Array<String>] violations, for people
        def check = raise(NotImplementedError)
      end
    end
  end
end
