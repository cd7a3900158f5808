# frozen_string_literal: true

require_relative "../../jobs/tally"
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
          processed: "Runs of jobs that have ended.", failed: "Of them, those that failed.",
          retried: "Failures after which the job is tried again.",
          dead: "Failures after which the job is dead."
        }.freeze

        BOUNDS = Raffia::Jobs::Tally::BOUNDS.map { |bound| bound / 1e3 }.freeze
        private_constant :COUNTERS, :BOUNDS

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
          text.gauge("raffia_jobs_busy", "Jobs that run now.", figures[:busy])
          text.gauge("raffia_jobs_concurrency", "Jobs that may run at a time.",
            figures[:concurrency])
          text.histogram("raffia_job_duration_seconds", "Runs of jobs that were done.",
            histogram(figures))
          write_store(text, @status.report)
        end

        private

        def histogram(figures)
          Service::Histogram.new(figures[:histogram], BOUNDS, figures[:microseconds] / 1e6)
        end

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
