# frozen_string_literal: true

require_relative "../../charts"

module Raffia
  module Jobs
    class Web
      # Counts by minute, without gaps: a minute in which nothing ran counts 0.
      # @api private
      class Minutes
        # Limit of points on a chart; longer periods show means.
        POINTS = 120
        MARKS = 4

        # Sums rows of {Store#metrics}; ms and mean are milliseconds of runs that succeeded.
        def self.sums(rows)
          processed, failed, ms = %w[processed failed ms].map { |field|
            rows.sum { |row| row[field] || 0 }
          }
          mean = (processed > failed) ? (ms.to_f / (processed - failed)).round(1) : 0.0
          {processed:, failed:, ms:, mean:}
        end

        # +rows+ are those of {Store#metrics}, of one or several classes; +minutes+ the length.
        def initialize(rows, minutes)
          @by_time = rows.group_by { |row| row["at"].to_i / 60 * 60 }
          @last = Time.now.to_i / 60 * 60 - 60 # the running minute would look like a drop
          @minutes = minutes
        end

        # Rows of time, processed, failed, and milliseconds of the mean run.
        def to_a
          @to_a ||= (@last - (@minutes - 1) * 60).step(@last, 60).map do |at|
            [at, *Minutes.sums(@by_time[at] || []).values_at(:processed, :failed, :mean)]
          end
        end

        def counts(label)
          chart(label, {"Processed" => means(1), "Failed" => means(2)}, whole: true)
        end

        def runs(label) = chart(label, {"Mean" => means(3)})

        def sparkline
          Charts::SVG.sparkline(to_a.map { |_, processed| processed }.each_slice(@minutes / 60)
            .map(&:sum))
        end

        private

        def slice = (@minutes / POINTS).clamp(1..)

        def means(column)
          values = to_a.map { |row| row[column] }
          if slice == 1
            values
          else
            values.each_slice(slice).map { |part| part.sum.fdiv(part.size).round(1) }
          end
        end

        def chart(label, series, **more)
          names = to_a.each_slice(slice).map { |(at), *| Time.at(at).utc.strftime("%H:%M") }
          marks = (0..MARKS).to_h do |part|
            (part * (names.size - 1) / MARKS).then { |index| [index, names[index]] }
          end
          Charts::AreaChart.new(label, series, names:, marks:, **more)
        end
      end
    end
  end
end
