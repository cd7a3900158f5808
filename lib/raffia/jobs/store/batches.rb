# frozen_string_literal: true

module Raffia
  module Jobs
    class Store
      # Counts jobs that belong together, and enqueues callbacks when they have ended. Jobs that
      # fail for good, expire, or are discarded, deleted, cleared or killed count as dead. A dead
      # job that is requeued is pending again.
      class Batches < Group
        # @api private
        def self.missing(id)
          "there is no batch #{id}: it was not opened here, or was pruned after its end"
        end

        # @param callbacks [Hash{String => Draft}] on "success" (all done), "complete" (all done or
        #   dead), "death" (the first dead): each is enqueued once, in the step that causes it
        # @param about [Hash] description, created_at
        # @param parent [String, nil] a batch that counts this one as a job: done when it is
        #   complete, dead when it has a dead job then, and done after all when its success comes
        #   later. Callbacks that name the parent as their batch count there in the same step
        # @raise [Error] for a parent that does not exist
        def open_batch(id, callbacks: {}, about: {}, parent: nil) = raise(NotImplementedError)

        # Ends additions from outside: the batch is complete when nothing is pending. Jobs of a
        # batch may still add to it.
        def seal_batch(id) = raise(NotImplementedError)

        # @return [Hash, nil] {"id", "total", "pending", "dead", "sealed", "completed_at" (nil: not
        #   yet), "about", "parent"}
        def batch(id) = raise(NotImplementedError)

        # @return [Array<Hash>] newest first
        def batches(offset: 0, limit: 50) = raise(NotImplementedError)
      end
    end
  end
end
