# frozen_string_literal: true

require_relative "../../charts"
require_relative "../tally"

module Raffia
  module Jobs
    class Web
      # Durations of runs that succeeded: counts up to each of {Tally::BOUNDS}, and above.
      # @api private
      Histogram = Data.define(:counts)

      # @api private
      class Histogram
        SIZE = Tally::BOUNDS.size + 1
        # Indexes of the buckets with a label on the chart.
        MARKS = [0, 8, 16, 25].freeze

        # Sums rows of {Store#metrics}.
        def self.of(rows)
          new(counts: rows.reduce(Array.new(SIZE, 0)) { |sums, row|
            sums.zip(Array(row["histogram"])).map { |sum, count| sum + count.to_i }
          })
        end

        def total = counts.sum

        # Label and count of each bucket.
        def buckets = counts.each_with_index.map { |count, index| [label(index), count] }

        # Label of the bucket that a share (0 to 1) of the runs does not exceed, nil without runs.
        def percentile(share)
          return if total.zero?

          sum = 0
          label(counts.index { |count| (sum += count) >= share * total })
        end

        def chart
          names = buckets.map(&:first)
          marks = MARKS.to_h { |index| [index, names[index]] }
          Charts::ColumnChart.new("Runs by the time that they take; the table below has the " \
            "numbers",
            {"Runs" => counts}, names:, marks:)
        end

        private

        def label(index)
          bound = Tally::BOUNDS[index] or return "> #{seconds(Tally::BOUNDS.last)}"
          "≤ #{seconds(bound)}"
        end

        def seconds(ms) = (ms < 1000) ? "#{ms} ms" : "#{ms.fdiv(1000).to_s.delete_suffix(".0")} s"
      end
    end
  end
end
