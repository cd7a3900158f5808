# frozen_string_literal: true

module Raffia
  module Jobs
    class Store
      # Ends claims. An operation tells whether the claim was still valid; after the lease has been
      # lost it does nothing.
      #
      # The end of a claim of a job with a limit lets the oldest job that the key blocks back to the
      # front of its queue. So does a job with that key that expires, or is removed by hand.
      class Completion < Group
        # Done: removes the jobs, counts them in their batches, frees their unique keys.
        # @param claims [Array<Claim>]
        # @return [Array<Boolean>]
        def ack(claims) = raise(NotImplementedError)

        # Failed, and to be tried again.
        # @param payload [String] with the failure in it
        # @param at [Float]
        # @return [Boolean]
        def retry(claim, payload, at) = raise(NotImplementedError)

        # Failed for good: moves the job to `dead`. Its batch counts it as dead.
        # @return [Boolean]
        def bury(claim, payload) = raise(NotImplementedError)

        # Failed for good, or not wanted: removes the job. Its batch counts it as dead.
        # @return [Boolean]
        def discard(claim) = raise(NotImplementedError)

        # Not begun, or interrupted by the worker: back to the front of the queue, uncharged.
        # @param claims [Array<Claim>]
        # @return [Integer] number of jobs that went back
        def release(claims) = raise(NotImplementedError)
      end
    end
  end
end
