# frozen_string_literal: true

require_relative "../histogram"
require_relative "../minutes"
require_relative "../page"

module Raffia
  module Jobs
    class Web
      module Pages
        # The period of both pages of metrics.
        module MetricsPeriod
          PERIODS = {60 => "1 hour", 240 => "4 hours", 480 => "8 hours"}.freeze

          private

          def minutes = PERIODS.key?(request.number("minutes")) ? request.number("minutes") : 60

          def metrics = @metrics ||= store.metrics(minutes)
        end

        # Metrics by class.
        class Metrics < Page
          include MetricsPeriod

          SORTS = {"class" => :name, "processed" => :processed, "failed" => :failed,
                   "mean" => :mean, "total" => :ms}.freeze
          MAX = 500

          # A class and its sums.
          Row = Data.define(:name, :processed, :failed, :ms, :mean, :histogram, :minutes)

          def data
            lines.map do |line|
              {**line.to_h.except(:minutes, :histogram).transform_keys(&:to_s),
                "histogram" => line.histogram.counts}
            end
          end

          private

          def sort = SORTS.key?(request["sort"]) ? request["sort"] : "total"

          def lines
            @lines ||= begin
              match = request["match"].to_s.downcase
              found = metrics.map { |name, rows| line(name, rows) }
                .select { |line| line.name.downcase.include?(match) }
              by = SORTS.fetch(sort)
              (by == :name) ? found.sort_by(&:name) : found.sort_by { |line| -line.public_send(by) }
            end
          end

          def line(name, rows)
            Row.new(name: text(name), **Minutes.sums(rows), histogram: Histogram.of(rows),
              minutes: Minutes.new(rows, minutes))
          end
        end

        # Metrics of one class.
        class JobClass < Page
          include MetricsPeriod

          def title = required("name")

          def body = view_class

          def data = {"class" => title, "minutes" => rows}

          def current?(to) = to == "/metrics"

          private

          def rows = metrics[title] || []

          def series = @series ||= Minutes.new(rows, minutes)

          def histogram = @histogram ||= Histogram.of(rows)

          def sums = Minutes.sums(rows)
        end
      end
    end
  end
end
