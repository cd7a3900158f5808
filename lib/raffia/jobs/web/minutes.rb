# frozen_string_literal: true

require_relative "../../charts"

module Raffia
  module Jobs
    class Web
      # Counts by the minute, without gaps: a minute in which nothing ran counts 0.
      # @api private
      class Minutes
        # Points of a chart at most; of longer times it shows means.
        POINTS = 120
        MARKS = 4

        # Milliseconds of the mean run that ended well.
        def self.mean(processed, failed, ms)
          (processed > failed) ? (ms.to_f / (processed - failed)).round(1) : 0.0
        end

        # +rows+: see {Store#metrics}, of one or several classes.
        # +minutes+: until now.
        def initialize(rows, minutes)
          @by_time = rows.group_by { |row| row["at"].to_i / 60 * 60 }
          @last = Time.now.to_i / 60 * 60 - 60 # the running minute would look like a fall
          @minutes = minutes
        end

        # Time, processed, failed, milliseconds of the mean run.
        def to_a
          @to_a ||= (@last - (@minutes - 1) * 60).step(@last, 60)
            .map { |at| [at, *total(@by_time[at] || [])] }
        end

        # Of what was processed and what failed.
        def counts(label)
          chart(label, {"Processed" => means(1), "Failed" => means(2)}, whole: true)
        end

        # Of the mean run.
        def runs(label) = chart(label, {"Mean" => means(3)})

        # SVG.
        def sparkline
          Charts::SVG.sparkline(to_a.map { |_, processed| processed }.each_slice(@minutes / 60)
            .map(&:sum))
        end

        private

        def total(rows)
          processed, failed, ms = %w[processed failed ms].map { |name|
            rows.sum { |row| row[name] || 0 }
          }
          [processed, failed, Minutes.mean(processed, failed, ms)]
        end

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
