# frozen_string_literal: true

require "date"

module Sidekiq
  # A snapshot of counts.
  class Stats
    QueueSummary = Data.define(:name, :size, :latency, :paused) do
      alias_method :paused?, :paused
    end
    # Sidekiq's names of Raffia's counts.
    NAMES = {processed: :processed, failed: :failed, scheduled_size: :scheduled, retry_size: :retry,
             dead_size: :dead, enqueued: :queue}.freeze
    private_constant :NAMES

    def initialize
      fetch_stats!
    end

    NAMES.each { |name, ours| define_method(name) { @counts.fetch(ours) } }

    def processes_size = processes.size

    # Running jobs as of the last heartbeats.
    def workers_size = processes.sum { |process| process["busy"].to_i }

    # In seconds.
    def default_queue_latency
      queue_summaries.find { |queue| queue.name == "default" }&.latency || 0.0
    end

    # Sizes by name, longest first.
    def queues = queue_summaries.to_h { |queue| [queue.name, queue.size] }

    # The longest first.
    def queue_summaries
      @queues ||= store.queues.map { |queue|
        QueueSummary.new(name: queue["name"], size: queue["size"], latency: queue["latency"].to_f,
          paused: queue["paused"])
      }
        .sort_by { |queue| -queue.size }
    end

    def fetch_stats!
      @counts = store.counts
      @queues = @processes = nil
    end
    alias_method :fetch_stats_fast!, :fetch_stats!
    alias_method :fetch_stats_slow!, :fetch_stats!

    def reset(*)
      raise(NotProvided, "Sidekiq::Stats#reset is not there: numbers are those since ever. " \
        "Remember what they were, or use Sidekiq::Stats::History")
    end

    # Counts by day (UTC), newest first.
    class History
      # Days that stores keep.
      MOST = 5 * 365
      private_constant :MOST

      # +last+ is the newest day, nil for today.
      def initialize(days, last = nil)
        unless days.between?(1, MOST)
          raise ArgumentError, "days must be from 1 to #{MOST}, not #{days}"
        end

        @days = days
        @last = last || Time.now.utc.to_date
      end

      # Counts by date, such as "2026-11-22".
      def processed = of("processed")

      def failed = of("failed")

      private

      def of(name)
        skipped = (Time.now.utc.to_date - @last).to_i.clamp(0..)
        @history ||= Raffia::Jobs.store.history(@days + skipped)
        Array.new(@days) { |ago| (@last - ago).iso8601 }
          .to_h { |day| [day, @history.dig(day, name).to_i] }
      end
    end

    private

    def processes = @processes ||= store.processes

    def store = Raffia::Jobs.store
  end
end
