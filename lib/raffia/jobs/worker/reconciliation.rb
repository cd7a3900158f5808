# frozen_string_literal: true

module Raffia
  module Jobs
    class Worker
      # Compares the claims that this worker holds with those that the store has in its name. They
      # differ when a store came back with older data, or when the answer to a claim was lost.
      # Claims that only the store knows are given back; runs that only the worker knows are lost.
      #
      # Jobs begin and end meanwhile, so only a difference that is found twice in a row counts.
      # @api private
      class Reconciliation
        def initialize(store, log, runner, acks, fetcher)
          @store = store
          @log = log
          @runner = runner
          @acks = acks
          @fetcher = fetcher
          reset
        end

        def call(lease)
          reset unless @lease == lease
          # Jobs of a claim in progress are not known here yet, however long its answer takes.
          claiming = @fetcher.claiming
          stored = @store.claim_keys(lease)
          # first: finished runs are among the acks before they leave
          runs = @runner.unconcluded(lease)
          unknown = stored - runs.keys - @acks.pending
          lost = runs.keys - stored
          settle(lease, unknown, runs, lost) if @lease && (claiming.nil? || claiming != @claiming)
          @lease, @claiming, @unknown, @lost = lease, claiming, unknown, lost
        end

        private

        def reset
          @lease = @claiming = nil
          @unknown = @lost = []
        end

        def settle(lease, unknown, runs, lost)
          give_back(lease, unknown & @unknown)
          (lost & @lost).each { |key| runs[key].lose }
        end

        def give_back(lease, keys)
          return if keys.empty?

          count = @store.release_keys(lease, keys)
          @log.warn({event: "claims released", jobs: count,
                     why: "the store has them in this worker's name, and they do not run here: " \
                       "has it come back with older data?"})
        end
      end
    end
  end
end
