# frozen_string_literal: true

module Raffia
  module Jobs
    class Store
      # Ends claims. An operation returns whether the claim was still valid (`ack` for each claim);
      # after the lease has been lost it does nothing.
      #
      # The end of a claim of a job with a limit lets the oldest job that the key blocks back to the
      # front of its queue. So does a job with that key that expires, or is removed by hand.
      class Completion < Group
        # Done: removes the jobs, counts them in their batches, frees their unique keys.
        def ack(claims) = raise(NotImplementedError)

        # Failed, and to be tried again.
        # @param payload [String] with the failure in it
        def retry(claim, payload, at) = raise(NotImplementedError)

        # Failed for good: moves the job to `dead`. Its batch counts it as dead.
        def bury(claim, payload) = raise(NotImplementedError)

        # Failed for good, or not wanted: removes the job. Its batch counts it as dead.
        def discard(claim) = raise(NotImplementedError)

        # Not begun, or interrupted by the worker: back to the front of the queue, uncharged.
        # Returns the number of these jobs.
        # @param begun [Boolean] whether they count for their rates
        def release(claims, begun: true) = raise(NotImplementedError)
      end
    end
  end
end
