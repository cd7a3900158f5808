# frozen_string_literal: true

module Raffia
  module Lab
    module Report
      # The table of speed-ups by workers: a line for each variant, and one for the ideal.
      module ScalingColumns
        extend self

        # No columns without variants on several numbers of workers.
        def of(outcome)
          series = outcome[:scaling]
          return [] if series.empty?
          counts = series.flat_map { |each| each[:points] }.map { |point| point[:workers] }.uniq
            .sort
          [Column.new(head: "on", rank: 0,
            cells: ["ideal", *series.map { |each| name(each, outcome) }]),
            *counts.map { |count|
              Column.new(head: head(count), rank: 0,
                cells: [ideal(series, count), *series.map { |each| cell(each, count) }])
            }]
        end

        def caption(outcome)
          against = outcome[:baseline].empty? ? "the fewest workers" : Columns.baseline(outcome)
          "Speed-up against #{against}, and what share of the ideal that is, by the number of " \
            "workers"
        end

        private

        def head(count) = (count == 1) ? "1 worker" : "#{count} workers"

        def name(series, outcome)
          own = series[:against] != outcome[:baseline] && !outcome[:baseline].empty?
          [Format.variant(series), ("(#{series[:ruby]})" if series[:ruby]),
            ("(against its own first)" if own)].compact.join(" ")
        end

        def ideal(series, count)
          Format.times(point(series.find { |each| point(each, count) }, count)[:ideal])
        end

        def point(series, count) = series[:points].find { |point| point[:workers] == count }

        def cell(series, count)
          point = point(series, count) or return ""
          share = format(" %4s", Format.percent(point[:efficiency]))
          "#{Format.times(point[:speedup][:value])}#{share}"
        end
      end
    end
  end
end
