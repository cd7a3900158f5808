# frozen_string_literal: true

require "date"
require_relative "../minutes"
require_relative "../page"

module Raffia
  module Jobs
    class Web
      module Pages
        # How everything is.
        # @api private
        class Home < Page
          # How many queues, of the longest ones.
          QUEUES = 8
          DAYS = 30
          MINUTES = 60
          # What the tiles show of what is there now.
          SETS = [["Waiting", :queue, "/queues"], ["Running", :running, "/busy"],
            ["Scheduled", :scheduled, "/scheduled"], ["Retries", :retry, "/retries"],
            ["Blocked", :blocked, "/blocked"], ["Dead", :dead, "/dead"]].each(&:freeze).freeze

          def title = "Home"

          def data
            {"store" => store.url, **counts.transform_keys(&:to_s), "processes" => processes.size,
             "queues" => store.queues, "days" => days, "minutes" => minutes}
          end

          def charts
            {"at" => Time.now.to_f, "processed" => sizes[:processed], "failed" => sizes[:failed],
             "minutes" => minutes, "days" => all_days}
          end

          private

          # Days without anything, too: a chart must not stretch those that there are.
          def all_days
            today = Time.now.utc.to_date
            (today - DAYS + 1).upto(today)
              .map do |date|
                [day = date.iso8601,
                  *(days[day] || {}).values_at("processed", "failed").map(&:to_i)]
              end
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

          # @return [Array<Array>] time, processed, failed
          def minutes = @minutes ||= Minutes.sum(store.metrics(MINUTES).values.flatten(1), MINUTES)
        end
      end
    end
  end
end
