# frozen_string_literal: true

require_relative "../../jobs/tally"
require_relative "../../server/observability/metrics/open_metrics"

module Raffia
  module CLI
    module Work
      # Figures of job workers, for monitoring.
      #
      # @api private
      class Metrics
        # What is counted, by its name in {Jobs::Worker::SharedMetrics}.
        COUNTERS = {
          processed: "Runs of jobs that have ended.", failed: "Of them, those that failed.",
          retried: "Failures after which the job is tried again.",
          dead: "Failures after which the job is dead."
        }.freeze

        # Times of runs, as {Server::Observability::Metrics::OpenMetrics#histogram} wants them.
        class Histogram
          def initialize(figures)
            @buckets = figures[:histogram]
            @sum = figures[:microseconds]
          end

          def count = @buckets.sum

          # @return [Float] seconds
          def sum = @sum / 1e6

          # @yieldparam bound [Float] seconds
          # @yieldparam count [Integer] how many were not longer
          def each_bound
            total = 0
            @buckets.zip(Raffia::Jobs::Tally::BOUNDS) do |number, bound|
              yield (bound ? bound / 1e3 : Float::INFINITY), total += number
            end
          end
        end

        def initialize(status) = @status = status

        # @return [String, nil] why jobs cannot run: the store cannot be written, or no worker
        #   answers
        def trouble
          report = @status.report or return "no worker answers"
          "the store cannot be written: #{report["error"]}" if report["error"]
        end

        # @return [Hash] for /stats.json
        def stats
          figures = @status.figures
          histogram = Histogram.new(figures)
          done = histogram.count
          {jobs: {**figures.slice(:processed, :failed, :retried, :dead, :busy, :concurrency),
             mean: (histogram.sum / done if done.positive?)},
           store: @status.report}
        end

        # @param text [Server::Observability::Metrics::OpenMetrics] gets all of it
        def write(text)
          figures = @status.figures
          COUNTERS.each { |name, help| text.counter("raffia_jobs_#{name}", help, figures[name]) }
          text.gauge("raffia_jobs_busy", "Jobs that run now.", figures[:busy])
          text.gauge("raffia_jobs_concurrency", "Jobs that may run at a time.",
            figures[:concurrency])
          text.histogram("raffia_job_duration_seconds", "Runs of jobs that were done.",
            Histogram.new(figures))
          write_store(text, @status.report)
        end

        private

        def write_store(text, report)
          text.gauge("raffia_store_writable", "Whether the store can be written.",
            (report && report["error"].nil?) ? 1 : 0)
          return unless report&.key?("counts")

          sets = report["counts"].slice(*Raffia::Jobs::Store::SETS.map(&:to_s))
          text.gauge("raffia_jobs", "Jobs in the store, by where they are.",
            sets.transform_keys { |set| {set: set} })
          {"size" => ["raffia_queue_jobs", "Jobs that wait, by queue."],
           "latency" => ["raffia_queue_latency_seconds",
             "Age of the oldest job that waits, by queue.",
             "seconds"]}.each do |field, (name, help, unit)|
            text.gauge(name, help, report["queues"]
              .to_h { |queue| [{queue: queue["name"]}, queue[field]] }, unit: unit)
          end
        end
      end
    end
  end
end
