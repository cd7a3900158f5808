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

          def title = "Home"

          def data
            {"store" => store.url, **counts.transform_keys(&:to_s), "processes" => processes.size, "queues" => store.queues, "days" => days, "minutes" => minutes}
          end

          def charts = {"at" => Time.now.to_f, "processed" => counts[:processed], "failed" => counts[:failed], "minutes" => minutes, "days" => all_days}

          private

          # Days without anything, too: a chart must not stretch those that there are.
          def all_days
            today = Time.now.utc.to_date
            (today - DAYS + 1).upto(today).map { |date| [day = date.iso8601, *(days[day] || {}).values_at("processed", "failed").map(&:to_i)] }
          end

          def tiles
            [["Processed", counts[:processed], "/metrics"], ["Failed", counts[:failed], "/metrics"], ["Waiting", counts[:queue], "/queues"],
              ["Running", counts[:running], "/busy"], ["Scheduled", counts[:scheduled], "/scheduled"], ["Retries", counts[:retry], "/retries"],
              ["Blocked", counts[:blocked], "/blocked"], ["Dead", counts[:dead], "/dead"]]
          end

          def queues = @queues ||= store.queues

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
