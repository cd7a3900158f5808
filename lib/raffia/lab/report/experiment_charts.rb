# frozen_string_literal: true

module Raffia
  module Lab
    module Report
      # Charts of an experiment, and the one of the overview; nil without figures.
      module ExperimentCharts
        extend self

        def figures(outcome)
          quantity = Columns.quantity(outcome)
          bars = measured(outcome).map do |row|
            bar(row, quantity, row[:median], **row.slice(:low, :high), dots: runs(outcome, row))
          end
          better = outcome[:more] ? "longer" : "shorter"
          chart(bars, "#{outcome[:name]}: medians, #{better} is better", quantity)
        end

        def speedups(outcome)
          rows = measured(outcome).select { |row| row[:speedup] }
          return if rows.empty?

          bars = rows.map { |row| speedup(label(row), row[:speedup], css(row)) } +
            outcome[:published].filter_map { |figure| published(figure) }
          label = "#{outcome[:name]}: speed-up against #{outcome[:baseline]}, published ones " \
            "included"
          Charts::BarChart.new(bars, label, unit: "x", one: true)
        end

        # Speed-ups over workers beside the ideal ones.
        def scaling(outcome)
          return if outcome[:scaling].empty?

          points = outcome[:scaling].flat_map { |series| series[:points] }
          counts = points.map { |point| point[:workers] }.uniq
          label = "#{outcome[:name]}: speed-up by the number of workers, beside the ideal; its " \
            "figures are in the table"
          Charts::LineChart.new(label, outcome[:scaling].map { |series| line(series) }, unit: "x",
            reference: points.to_h { |point| point.values_at(:workers, :ideal) }.sort,
            marks: counts.to_h { |count| [count, (count == 1) ? "1 worker" : count.to_s] })
        end

        def memory(outcome)
          rows = measured(outcome).select { |row| row[:pss] }
          quantity = Quantity.of("bytes", rows.map { |row| row[:pss] })
          bars = rows.map { |row| bar(row, quantity, row[:pss]) }
          chart(bars, "#{outcome[:name]}: peak memory, shorter is better", quantity)
        end

        # pairs: outcomes and their best rows.
        def best(pairs)
          bars = pairs.map do |outcome, row|
            speedup("#{outcome[:name]}: #{Format.label(row)}", row[:speedup], "bar")
          end
          return if bars.empty?
          Charts::BarChart.new(bars, "the best speed-up of each experiment", unit: "x", one: true)
        end

        private

        def chart(bars, label, quantity)
          return if bars.empty?
          Charts::BarChart.new(bars, label, unit: quantity.unit, factor: quantity.factor)
        end

        def measured(outcome) = outcome[:rows].select { |row| row[:median] }

        def runs(outcome, row)
          row[:runs].reject { |run| run[:error] }.filter_map { |run| run[outcome[:metric].to_sym] }
        end

        def bar(row, quantity, value, **more)
          Charts::BarChart::Bar.new(label: label(row), text: quantity.call(value), value:,
            css: css(row), **more)
        end

        def line(series)
          points = series[:points].map { |point| {x: point[:workers], **point[:speedup]} }
          Charts::LineChart::Series.new(name: label(series), points:,
            css: ("control" if series[:control]))
        end

        def label(row) = "#{Format.label(row)}#{", control" if row[:control]}"

        def speedup(label, ratio, css)
          text = "#{Format.times(ratio[:value])}#{", noise" if ratio[:noise]}"
          css = "#{css}#{" noise" if ratio[:noise]}"
          Charts::BarChart::Bar.new(label:, text:, css:, **ratio.slice(:value, :low, :high))
        end

        # nil for a source's own baseline: its ratio is 1.
        def published(figure)
          ratio = figure[:ratio]
          return if ratio.nil? || ratio.round(4) == 1

          source = figure[:hardware].split(",").first # the rest would overlap the number
          Charts::BarChart::Bar.new(label: "published: #{figure[:label]}, #{source}",
            text: Format.times(ratio), value: ratio, css: "bar published")
        end

        def css(row) = row[:control] ? "bar control" : "bar"
      end
    end
  end
end
