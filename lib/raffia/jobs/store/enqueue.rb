# frozen_string_literal: true

module Raffia
  module Jobs
    class Store
      # Accepts jobs.
      class Enqueue < Group
        # Adds jobs, all or none, together with the precondition's change. A draft with `at` in the
        # future goes to `scheduled`, every other one to its queue. Wakes {Notifier#wait}. Batches
        # that drafts name must exist; they count them.
        #
        # A unique job with the conflict "replace" takes the place of the waiting job with its key,
        # which counts as done. A running job is not replaced, and keeps the new one out.
        # @param precondition [Precondition, nil] nothing happens unless the key has the expected
        #   value, which is then replaced
        # @return [Array<String, nil>, nil] ids; nil for a job that a unique job keeps out; nil for
        #   all when the precondition fails
        # @raise [NotUnique] for a draft whose conflict is "raise"; no job is added then
        # @raise [Error] for a batch that does not exist; no job is added then
        def enqueue(drafts, precondition: nil) = raise(NotImplementedError)
      end
    end
  end
end
