# frozen_string_literal: true

module Raffia
  module Jobs
    class Store
      # Keeps small values, such as cursors and the last time of a recurring job.
      class KeyValues < Group
        # @return [String, nil]
        def read(key) = raise(NotImplementedError)

        # @param value [String, nil] nil deletes it
        # @param expect [String, nil, :any] writes only when this is the present value
        # @param ttl [Numeric, nil] seconds
        # @return [Boolean] whether it was written
        def write(key, value, expect: :any, ttl: nil) = raise(NotImplementedError)

        # @return [Array<String>] sorted
        def keys(prefix) = raise(NotImplementedError)
      end
    end
  end
end
