# frozen_string_literal: true

require_relative "../execution"

module Raffia
  module Jobs
    module Testing
      # Runs the jobs of a memory store here, one after the other.
      # @api private
      class Drain
        # Sets of waiting jobs, in order of execution.
        SETS = %i[queue scheduled retry blocked].freeze

        Run = Struct.new(:item, :store, :claim, :progress, :note, :log, :result) do
          def jid = item["jid"]

          def stopping? = false

          def cancelled? = false

          # Same as in {Worker::Run}, for durable functions.
          def attempt = yield

          def progress_recorded = nil

          def conclude = nil

          def lose = nil
        end

        # Only jobs of the class of this name, and those due by then; nil: any.
        def initialize(store, name = nil, due_by: nil)
          @store = store
          @name = name
          @due_by = due_by&.to_f
        end

        # With plain arguments.
        def jobs
          entries.map do |entry|
            item = Encryption.reveal(entry.item)
            entry.at ? {**item, "at" => entry.at} : item
          end
        end

        # Runs all jobs, including those that they enqueue. Returns how many.
        def call
          done = 0
          while (count = round).positive?
            done += count
          end
          done
        end

        # Runs the next job. Returns whether there was one.
        def one = with_lease { |lease| entries.any? { |entry| run(lease, entry) } }

        # Runs these jobs, in whatever set they are.
        def these(ids)
          with_lease do |lease|
            ids.each { |id| nil while (entry = @store.find(id)) && run(lease, entry) }
          end
        end

        def clear
          @store.delete(entries)
          nil
        end

        private

        def entries
          all = SETS.flat_map { |set| @store.entries(set, limit: nil) }
          all.select! { |entry| entry.item["class"] == @name } if @name
          all.select! { |entry| entry.at.nil? || entry.at <= @due_by } if @due_by
          all
        end

        def round = with_lease { |lease| entries.count { |entry| run(lease, entry) } }

        def with_lease
          lease = @store.enroll("testing:#{::Process.pid}:#{object_id}", {}, ttl: Float::INFINITY)
          yield lease
        ensure
          @store.resign(lease)
        end

        # Returns false when it is gone, or waits.
        def run(lease, entry)
          claim = @store.claim_entry(lease, entry) or return false
          perform(claim)
        end

        def perform(claim)
          run = Run.new(claim.item, @store, claim)
          Client.with_batch(nil) do
            Execution.call(claim.item, Setup.current.worker_middleware, run)
          end
          claim.result = run.result
          @store.ack([claim])
          true
        rescue Suspended
          false # it waits for a time or a signal
        rescue Interrupted
          @store.release([claim]) # it goes on in the next round
          true
        rescue Exception # standard:disable Lint/RescueException
          @store.bury(claim, claim.payload)
          raise
        end
      end
    end
  end
end
