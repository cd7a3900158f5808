# frozen_string_literal: true

module Raffia
  module Jobs
    class Worker
      # Compares what this worker holds with what the store says that it holds. They differ when a
      # store has come back with older data (a replica that lagged, a second that was lost), and
      # when the answer to a claim was lost.
      #
      # * Claims that only the store knows of would be running for ever: they are given back.
      # * Claims that only the worker knows of are another's, or will be: their runs are told that
      #   they are lost.
      #
      # Jobs begin and end meanwhile, so only a difference that is found twice in a row counts.
      #
      # @api private
      class Reconciliation
        # @param store [Store]
        # @param log [Logger]
        # @param runs [Runs]
        # @param acks [Acks]
        # @param intake [Intake]
        def initialize(store, log, runs, acks, intake)
          @store = store
          @log = log
          @runs = runs
          @acks = acks
          @intake = intake
          forget
        end

        # @param lease [Lease]
        # @return [void]
        # @raise [StoreUnavailable]
        def call(lease)
          forget unless @lease == lease
          # Jobs of a claim that is under way are not known here yet, however long its answer takes.
          claiming = @intake.claiming
          kept = @store.held(lease)
          # first: what has ended is among the acknowledgements before it leaves the runs
          runs = @runs.held(lease)
          ghosts = kept - runs.keys - @acks.held
          lost = runs.keys - kept
          settle(lease, ghosts, runs, lost) if @lease && (claiming.nil? || claiming != @claiming)
          @lease, @claiming, @ghosts, @lost = lease, claiming, ghosts, lost
        end

        private

        def forget
          @lease = @claiming = nil
          @ghosts = @lost = []
        end

        def settle(lease, ghosts, runs, lost)
          give_back(lease, ghosts & @ghosts)
          (lost & @lost).each { |key| runs[key].lose }
        end

        def give_back(lease, keys)
          return if keys.empty?

          count = @store.give_back(lease, keys)
          @log.warn({event: "gives back", jobs: count,
            why: "the store has them in this worker's name, and they do not run here: has it " \
              "come back with older data?"})
        end
      end
    end
  end
end
