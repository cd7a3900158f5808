# frozen_string_literal: true

require_relative "columns"

module Raffia
  module Lab
    module Report
      # The table of how far more workers help: a line for each variant, and one for what would be
      # ideal.
      module ScalingColumns
        module_function

        # @param outcome [Hash] of {Outcome}
        # @return [Array<Column>] none when nothing was run with several numbers of workers
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

        # @return [String] what the figures are
        def caption(outcome)
          against = outcome[:baseline].empty? ? "the fewest workers" : Columns.baseline(outcome)
          "Speed-up against #{against}, and what share of the ideal that is, by the number of " \
            "workers"
        end

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
          point = point(series, count)
          if point
            "#{Format.times(point[:speedup][:value])}#{format(" %4s", Format.percent(point[:efficiency]))}"
          else
            ""
          end
        end

        private_class_method :head, :name, :ideal, :point, :cell
      end
    end
  end
end
