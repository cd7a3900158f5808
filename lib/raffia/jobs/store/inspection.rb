# frozen_string_literal: true

module Raffia
  module Jobs
    class Store
      # Shows queues and jobs to people and tools.
      class Inspection < Group
        # @return [Integer, nil] size up to which a set is counted within milliseconds, for `most`
        #   below; nil: any size
        def countable = nil

        # @param most [Integer, nil] a store that has to count one by one stops there
        # @return [Array<Hash>] {"name", "size", "latency" (seconds, of the oldest), "paused"}, by
        #   name
        def queues(most: nil) = raise(NotImplementedError)

        # @param most [Integer, nil] as for {#queues}
        # @return [Hash{Symbol => Integer}] of each of {SETS}, and :processed, :failed since ever
        def counts(most: nil) = raise(NotImplementedError)

        # @param set [Symbol] of {SETS}
        # @param queue [String, nil] for :queue, its name
        # @param match [String, nil] only those whose payload contains it
        # @return [Array<Entry>] queues: next one first; other sets by time, `dead` newest first
        def entries(set, queue: nil, offset: 0, limit: 50, match: nil) = raise(NotImplementedError)

        # Searches without an index.
        # @param most [Integer, nil] number of jobs in the queues (in a database: of all) to search;
        #   nil: all
        # @return [Entry, nil]
        def find(jid, most: nil) = raise(NotImplementedError)

        # Keys of a fair queue with the most waiting jobs, and those that are paused.
        # @param limit [Integer] keys
        # @param most [Integer] jobs that are counted at most
        # @return [Array<Hash>] {"key", "waiting", "paused"}
        def tenants(queue, limit: 20, most: 10_000) = raise(NotImplementedError)

        private

        # The answer of {#tenants}, from each job's key or nil, and the keys that are paused.
        def count_tenants(keys, limit, paused)
          most = keys.compact.tally.sort_by { |key, count| [-count, key] }.first(limit)
          list_tenants(most, paused)
        end

        def list_tenants(counts, paused)
          missing = paused.sort - counts.map(&:first)
          [*counts, *missing.map { |key| [key, 0] }].map do |key, count|
            {"key" => key, "waiting" => count, "paused" => paused.include?(key)}
          end
        end

        # Seconds since the earliest of these time fields, 0 without any.
        def seconds_since(fields)
          earliest = fields.filter_map { |field| Payload.time(field) }.min
          earliest ? (Time.now.to_f - earliest).clamp(0..) : 0
        end
      end
    end
  end
end
