# frozen_string_literal: true

require_relative "../../jobs/store_metrics"
require_relative "../../jobs/tally"
require_relative "../../jobs/worker/run_counts"
require_relative "../../service/histogram"

module Raffia
  module CLI
    module Work
      # Metrics of job workers.
      #
      # @api private
      class Metrics
        # Names in {Jobs::Worker::SharedMetrics}.
        COUNTERS = {
          processed: "Runs of jobs that have ended.",
          retried: "Failures after which the job is tried again."
        }.freeze
        # Names in {Jobs::Worker::RunCounts}: family, help, labels and unit.
        LABELLED = {
          "enqueued" => ["raffia_jobs_enqueued", "Jobs that the workers have enqueued.",
            %i[queue class]],
          "expired" => ["raffia_jobs_expired", "Jobs that were discarded because they had expired.",
            %i[queue]],
          "done" => ["raffia_jobs_done", "Runs that succeeded.", %i[queue class]],
          "failed" => ["raffia_jobs_failed", "Runs that failed.", %i[queue class verdict]],
          "dead" => ["raffia_jobs_dead", "Jobs that became dead.", %i[queue class cause]],
          "crashed" => ["raffia_jobs_crashed", "Runs whose process died.", %i[queue class]],
          "seconds" => ["raffia_jobs_run_seconds", "Seconds of runs that succeeded.",
            %i[queue class], "seconds"],
          "retries" => ["raffia_store_retries", "Calls of the store that failed.", %i[reason]]
        }.freeze
        HISTOGRAMS = {
          "wait" => ["raffia_job_wait_seconds", "From when a job was due to its begin.",
            %i[queue]],
          "store" => ["raffia_store_seconds", "Calls of the store.", %i[call]]
        }.freeze

        BOUNDS = Raffia::Jobs::Tally::BOUNDS.map { |bound| bound / 1e3 }.freeze
        private_constant :COUNTERS, :LABELLED, :HISTOGRAMS, :BOUNDS

        def initialize(status) = @status = status

        # Why jobs cannot run, or nil.
        def trouble
          report = @status.report or return "no worker answers"
          "the store cannot be written: #{report["error"]}" if report["error"]
        end

        # For /stats.json.
        def stats
          figures = @status.figures
          histogram = histogram(figures)
          done = histogram.count
          {jobs: {**figures.slice(:processed, :failed, :retried, :dead, :busy, :concurrency),
             mean: (histogram.sum / done if done.positive?)},
           store: @status.report}
        end

        def write(text)
          figures = @status.figures
          COUNTERS.each { |name, help| text.counter("raffia_jobs_#{name}", help, figures[name]) }
          text.gauge("raffia_worker_busy", "Jobs that run now.", figures[:busy])
          text.gauge("raffia_worker_slots", "Jobs that may run at a time.", figures[:concurrency])
          text.histogram("raffia_job_duration_seconds", "Runs of jobs that were done.",
            histogram(figures))
          write_counts(text, @status.counts)
          write_store(text, @status.report)
        end

        # For autoscalers; nil while the store does not answer.
        def scaling = @status.report&.fetch("scaling", nil)

        private

        def histogram(figures)
          Service::Histogram.new(figures[:histogram], BOUNDS, figures[:microseconds] / 1e6)
        end

        def write_counts(text, counts)
          LABELLED.each do |name, (family, help, labels, unit)|
            text.counter(family, help, by_labels(counts, name, labels), unit: unit)
          end
          HISTOGRAMS.each do |name, (family, help, labels)|
            bounds = Raffia::Jobs::Worker::RunCounts::BOUNDS.fetch(name)
            text.histogram(family, help, by_labels(counts, name, labels)
              .transform_values { |row| Service::Histogram.new(row[..-2], bounds, row.last) })
          end
        end

        def by_labels(counts, name, labels)
          counts.fetch(name, {}).transform_keys { |values| labels.zip(values).to_h }
        end

        def write_store(text, report)
          text.gauge("raffia_store_writable", "Whether the store can be written.",
            (report && report["error"].nil?) ? 1 : 0)
          return unless report&.key?("counts")

          Raffia::Jobs::StoreMetrics.new(report, report["scaling"]).write(text)
        end
      end
    end
  end
end
