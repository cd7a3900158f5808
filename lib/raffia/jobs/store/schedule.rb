# frozen_string_literal: true

module Raffia
  module Jobs
    class Store
      # Moves jobs to their queues when they are due. Any worker may do it at any time.
      class Schedule < Group
        # Moves due jobs of `scheduled` and `retry` to the back of their queues, see
        # {Rewrite.queued}, and blocked jobs whose rate opens to the front of theirs.
        # @param rates [Boolean] false leaves blocked jobs to {Claims#claim}, which moves those
        #   that its process knows of. A wait ends when there are some
        # @return [Numeric, nil] seconds until the next one is due; 0 when more are due; nil for
        #   none
        def promote(limit = 1000, rates: true) = raise(NotImplementedError)

        # @return [Float] seconds since 1970, by the store's clock
        def now = raise(NotImplementedError)
      end
    end
  end
end
