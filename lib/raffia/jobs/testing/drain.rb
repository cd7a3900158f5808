# frozen_string_literal: true

require_relative "../errors"
require_relative "../perform"
require_relative "../setup"

module Raffia
  module Jobs
    module Testing
      # Does the jobs of a store in memory, one after the other, here.
      # @api private
      class Drain
        # Where jobs wait, in the order in which they are done.
        PLACES = %i[queue scheduled retry].freeze

        # What a job can ask, see {Job#run}.
        Run = Struct.new(:item, :store, :progress, :note) do
          def jid = item["jid"]

          def stopping? = false

          def cancelled? = false
        end

        # @param store [Stores::Memory]
        # @param name [String, nil] of the class; nil: of all
        # @param due_by [Time, Numeric, nil] only what is due then; nil: whenever it is
        def initialize(store, name = nil, due_by: nil)
          @store = store
          @name = name
          @due_by = due_by&.to_f
        end

        # @return [Array<Hash>]
        def jobs = entries.map { |entry| entry.at ? {**entry.item, "at" => entry.at} : entry.item }

        # All, and those that come meanwhile.
        # @return [Integer] how many
        def call
          done = 0
          while (count = round).positive?
            done += count
          end
          done
        end

        # The next one.
        # @return [Boolean] whether there was one
        def one = with_lease { |lease| entries.any? { |entry| run(lease, entry) } }

        # These, wherever they wait.
        # @param ids [Array<String>]
        # @return [void]
        def these(ids)
          with_lease do |lease|
            ids.each { |id| nil while (entry = @store.find(id)) && run(lease, entry) }
          end
        end

        # @return [void]
        def clear
          @store.delete(entries)
          nil
        end

        private

        def entries
          all = PLACES.flat_map { |set| @store.entries(set, limit: nil) }
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

        # @return [Boolean] false when it is not there any more, or is not wanted
        def run(lease, entry)
          claim = @store.claim_entry(lease, entry) or return false
          perform(claim)
          true
        end

        def perform(claim)
          Client.with_batch(nil) do
            Perform.call(claim.item, Setup.current.worker_middleware, Run.new(claim.item, @store))
          end
          @store.ack([claim])
        rescue Interrupted
          @store.release([claim]) # it goes on in the next round
        rescue Exception # standard:disable Lint/RescueException
          @store.bury(claim, claim.payload)
          raise
        end
      end
    end
  end
end
