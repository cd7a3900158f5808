# frozen_string_literal: true

require_relative "../histogram"
require_relative "../minutes"
require_relative "../page"

module Raffia
  module Jobs
    class Web
      module Pages
        # The period that both pages of metrics show.
        # @api private
        module MetricsPeriod
          # Minutes.
          PERIODS = {60 => "1 hour", 240 => "4 hours", 480 => "8 hours"}.freeze

          private

          def minutes = PERIODS.key?(request.number("minutes")) ? request.number("minutes") : 60

          def metrics = @metrics ||= store.metrics(minutes)
        end

        # Metrics by class.
        # @api private
        class Metrics < Page
          include MetricsPeriod

          SORTS = {"class" => :name, "processed" => :processed, "failed" => :failed,
                   "mean" => :mean, "total" => :ms}.freeze
          # Classes on the page, at most.
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
              found = metrics.map { |name, rows| line(name, rows) }
              if request["match"]
                found = found.select do |line|
                  line.name.downcase.include?(request["match"].downcase)
                end
              end
              (sort ==
                "class") ? found.sort_by(&:name) : found.sort_by do |line|
                  -line.public_send(SORTS.fetch(sort))
                end
            end
          end

          def line(name, rows)
            processed, failed, ms = %w[processed failed ms].map { |field|
              rows.sum { |row| row[field] || 0 }
            }
            Row.new(name: text(name), processed: processed, failed: failed, ms: ms,
              mean: Minutes.mean(processed, failed, ms), histogram: Histogram.of(rows),
              minutes: Minutes.new(rows, minutes))
          end
        end

        # Metrics of one class.
        # @api private
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

          def sums
            processed, failed, ms = %w[processed failed ms].map { |field|
              rows.sum { |row| row[field] || 0 }
            }
            {processed: processed, failed: failed, ms: ms,
             mean: Minutes.mean(processed, failed, ms)}
          end
        end
      end
    end
  end
end
