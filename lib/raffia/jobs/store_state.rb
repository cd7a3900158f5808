# frozen_string_literal: true

require_relative "../base/clock"
require_relative "autoscaling"

module Raffia
  module Jobs
    # Reads what monitoring shows of a store: sizes, queues, overdue and blocked jobs, workers. Its
    # work is bounded, and the result is kept for {FRESH} seconds, because several monitors may ask.
    # @api private
    class StoreState
      # Seconds for which a result is good.
      FRESH = 5
      # Queues in a result, the longest ones.
      QUEUES = 200
      # Overdue jobs, and rates with blocked jobs, that are counted at most.
      MOST = 500
      # Minutes that the signal for autoscaling looks back.
      MINUTES = 5
      # Durable functions and workflows that are counted at most.
      FLOWS = 10_000
      private_constant :QUEUES, :MOST, :MINUTES, :FLOWS

      def initialize(store)
        @store = store
        @lock = Thread::Mutex.new
        @until = 0
      end

      # Hash of "counts", "queues", "blocked", "open", "workers", "minutes", "flows", "workflows",
      # fit for JSON.
      def to_h
        @lock.synchronize do
          next @state if Clock.now < @until

          @state = read
          @until = Clock.now + FRESH
          @state
        end
      end

      # See {Autoscaling#initialize}.
      def autoscaling(**settings) = Autoscaling.new(to_h, **settings)

      private

      def read
        counts = @store.counts(most: @store.countable)
        overdue = overdue(counts)
        blocked, open = blocked(counts[:blocked])
        {"counts" => counts.transform_keys(&:to_s), "queues" => queues(overdue),
         "blocked" => blocked, "open" => open, "workers" => workers, "minutes" => minutes,
         "flows" => possible({}) { @store.flow_counts(most: FLOWS) },
         "workflows" => possible({}) { @store.workflow_counts(most: FLOWS) }}
      end

      def queues(overdue)
        known = @store.queues(most: @store.countable)
        names = overdue.keys - known.map { |queue| queue["name"] }
        known += names.map do |name|
          {"name" => name, "size" => 0, "latency" => 0, "paused" => false}
        end
        known.map { |queue| {**queue, "overdue" => overdue.fetch(queue["name"], 0)} }
          .max_by(QUEUES) { |queue| queue["size"] + queue["overdue"] }
          .sort_by { |queue| queue["name"] }
      end

      # Jobs by queue that are due, and that no worker has moved to their queue.
      def overdue(counts)
        now = @store.now
        possible({}) { overdue_at(now, counts) }
      end

      def overdue_at(now, counts)
        %i[scheduled retry].reject { |set| counts[set].zero? }.flat_map { |set| due(set, now) }
          .map(&:queue).tally
      end

      # The first ones are due first.
      def due(set, now)
        due = ->(entry) { entry.at && entry.at <= now }
        return [] unless @store.entries(set, limit: 1).any?(&due)

        @store.entries(set, limit: MOST).take_while(&due)
      end

      # Blocked jobs by reason, and those among them whose rate lets them start by now.
      def blocked(total)
        return [{"limit" => 0, "rate" => 0}, 0] if total.zero?

        now = @store.now
        rates = @store.rates(limit: MOST).select { |rate| rate["blocked"].positive? }
        rated = rates.sum { |rate| rate["blocked"] }
        open = rates.count { |rate| rate["opens_at"]&.<=(now) }
        [{"limit" => [total - rated, 0].max, "rate" => rated}, open]
      end

      # Leaves out operations that the store lacks: beanstalkd knows no more than counts.
      def possible(otherwise)
        yield
      rescue Unsupported
        otherwise
      end

      def workers
        all = @store.processes
        {"processes" => all.size, "slots" => all.sum { |one| one["concurrency"].to_i },
         "busy" => all.sum { |one| one["busy"].to_i }}
      end

      # The present minute is not over, so its figures would be too small.
      def minutes
        rows = possible({}) { @store.metrics(MINUTES + 1) }.values.flatten(1)
        from = (@store.now / 60).floor * 60 - MINUTES * 60
        rows = rows.select { |row| row["at"] >= from }
        {"seconds" => MINUTES * 60, "processed" => rows.sum { |row| row["processed"] },
         "failed" => rows.sum { |row| row["failed"] }, "ms" => rows.sum { |row| row["ms"] }}
      end
    end
  end
end
