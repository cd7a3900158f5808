# frozen_string_literal: true

require_relative "bar_chart"
require_relative "columns"

module Raffia
  module Lab
    module Report
      # The bar charts of an experiment, and the one of the overview.
      module Chart
        TIMES = Quantity.new(unit: "x", factor: 1)

        module_function

        # @param outcome [Hash]
        # @return [BarChart, nil] nil when nothing was measured
        def figures(outcome)
          quantity = Columns.quantity(outcome)
          bars = measured(outcome).map do |row|
            runs = row[:runs].reject { |run| run[:error] }
              .filter_map { |run| run[outcome[:metric].to_sym] }
            BarChart::Bar.new(label: label(row), text: quantity.call(row[:median]),
              value: row[:median], low: row[:low], high: row[:high], dots: runs, css: css(row))
          end
          if bars.any?
            BarChart.new(bars, "#{outcome[:name]}: medians, " \
              "#{outcome[:more] ? "longer" : "shorter"} is better", quantity)
          end
        end

        # @param outcome [Hash]
        # @return [BarChart, nil] nil when nothing was compared
        def speedups(outcome)
          rows = measured(outcome).select { |row| row[:speedup] }
          return if rows.empty?
          bars = rows.map { |row| speedup(label(row), row[:speedup], css(row)) } +
            outcome[:published].filter_map { |figure| published(figure) }
          BarChart.new(bars, "#{outcome[:name]}: speed-up against #{outcome[:baseline]}, " \
            "published ones included", TIMES, one: true)
        end

        # @param outcome [Hash]
        # @return [BarChart, nil]
        def memory(outcome)
          rows = measured(outcome).select { |row| row[:pss] }
          return if rows.empty?
          quantity = Quantity.of("bytes", rows.map { |row| row[:pss] })
          bars = rows.map do |row|
            BarChart::Bar.new(label: label(row), text: quantity.call(row[:pss]), value: row[:pss],
              css: css(row))
          end
          BarChart.new(bars, "#{outcome[:name]}: peak memory, shorter is better", quantity)
        end

        # @param pairs [Array<Array(Hash, Hash)>] outcome and its best row
        # @return [BarChart, nil]
        def best(pairs)
          bars = pairs.map do |outcome, row|
            speedup("#{outcome[:name]}: #{Words.label(row)}", row[:speedup], "bar")
          end
          BarChart.new(bars, "the best speed-up of each experiment", TIMES, one: true) if bars.any?
        end

        def measured(outcome) = outcome[:rows].select { |row| row[:median] }

        def label(row) = "#{Words.label(row)}#{", control" if row[:control]}"

        def speedup(label, ratio, css)
          text = "#{Words.times(ratio[:value])}#{", noise" if ratio[:noise]}"
          BarChart::Bar.new(label:, text:, css: "#{css}#{" noise" if ratio[:noise]}",
            **ratio.slice(:value, :low, :high))
        end

        # The source's own baseline says nothing here.
        def published(figure)
          ratio = figure[:ratio]
          return if ratio.nil? || ratio.round(4) == 1
          # all of it stands in the text; here it would run into the number
          source = figure[:hardware].split(",").first
          BarChart::Bar.new(label: "published: #{figure[:label]}, #{source}",
            text: Words.times(ratio), value: ratio, css: "bar published")
        end

        def css(row) = row[:control] ? "bar control" : "bar"

        private_class_method :measured, :label, :speedup, :published, :css
      end
    end
  end
end
