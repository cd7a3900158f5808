# frozen_string_literal: true

require "date"
require_relative "../minutes"
require_relative "../page"

module Raffia
  module Jobs
    class Web
      module Pages
        # The state of all jobs.
        class Home < Page
          # The page shows the longest queues.
          QUEUES = 8
          DAYS = 30
          MINUTES = 60
          # Names of the series.
          COUNTS = %w[Processed Failed].freeze
          # Tiles of the sets: label, set and path.
          SETS = [["Waiting", :queue, "/queues"], ["Running", :running, "/busy"],
            ["Scheduled", :scheduled, "/scheduled"], ["Retries", :retry, "/retries"],
            ["Blocked", :blocked, "/blocked"], ["Dead", :dead, "/dead"]].each(&:freeze).freeze

          def title = "Home"

          def data
            {"store" => store.url, **counts.transform_keys(&:to_s), "processes" => processes.size,
             "queues" => store.queues, "days" => days, "minutes" => minutes.to_a}
          end

          def totals
            {"at" => Time.now.to_f, "processed" => sizes[:processed], "failed" => sizes[:failed]}
          end

          private

          # A script fills it.
          def present_chart
            Charts::AreaChart.empty("Jobs per second since this page was opened", COUNTS,
              {0.0 => "5 minutes ago", 1.0 => "now"})
          end

          # Includes days without jobs, so that columns keep their width.
          def days_chart
            today = Time.now.utc.to_date
            dates = (today - DAYS + 1).upto(today).to_a
            series = COUNTS.to_h do |name|
              [name, dates.map { |date| days.dig(date.iso8601, name.downcase).to_i }]
            end
            marks = [0, 10, 20, DAYS - 1].to_h { |index| [index, dates[index].strftime("%b %-d")] }
            Charts::ColumnChart.new("Jobs per day; the last days are in the table below", series,
              names: dates.map(&:iso8601), marks:)
          end

          def tiles
            totals = [["Processed", number(sizes[:processed]), "/metrics"],
              ["Failed", number(sizes[:failed]), "/metrics"]]
            totals + SETS.map { |label, set, to| [label, size(sizes[set]), to] }
          end

          def queues = @queues ||= store.queues(most: store.countable)

          def longest = queues.max_by(QUEUES) { |queue| queue["size"] }

          def days = @days ||= store.history(DAYS)

          def processes = @processes ||= store.processes

          def minutes = @minutes ||= Minutes.new(store.metrics(MINUTES).values.flatten(1), MINUTES)
        end
      end
    end
  end
end
