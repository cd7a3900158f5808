# frozen_string_literal: true

require_relative "svg"
require_relative "words"

module Raffia
  module Lab
    module Report
      # The two charts of an experiment: the figures as bars, and the speed-ups with the published ones beside them.
      module Chart
        # What a row of a chart shows: a bar up to +value+, and a thin line from +low+ to +high+ on it.
        Bar = Data.define(:label, :text, :value, :low, :high, :css)

        # Pixels: a row is a line of letters over a bar.
        ROW = 44
        LETTERS = 14
        TOP = 20
        THICK = 14
        # Room at the right of the longest bar.
        MARGIN = 1.02

        module_function

        # @param outcome [Hash] of {Outcome}
        # @return [String, nil] nil when nothing was measured
        def figures(outcome)
          rows = outcome[:rows].select { |row| row[:median] }
          return if rows.empty?
          bars = rows.map do |row|
            Bar.new(label: Words.label(row), text: Words.figure(row[:median], outcome[:unit]), value: row[:median],
              low: row[:min], high: row[:max], css: css(row))
          end
          draw(bars, "#{outcome[:name]}: medians, #{outcome[:more] ? "longer" : "shorter"} is better")
        end

        # @param outcome [Hash]
        # @return [String, nil] nil when nothing was compared
        def speedups(outcome)
          rows = outcome[:rows].select { |row| row[:median] && (row[:speedup] || row[:variant] == outcome[:baseline]) }
          return if rows.size < 2
          bars = rows.map { |row| speedup(row) } + outcome[:published].filter_map { |figure| published(figure) }
          draw(bars, "#{outcome[:name]}: speed-up against #{outcome[:baseline]}, published ones included", one: true)
        end

        def speedup(row)
          ratio = row[:speedup] || {value: 1.0, low: 1.0, high: 1.0, noise: false}
          text = "#{format("%.2fx", ratio[:value])}#{", noise" if ratio[:noise]}"
          Bar.new(label: Words.label(row), text:, css: "#{css(row)}#{" noise" if ratio[:noise]}", **ratio.slice(:value, :low, :high))
        end

        # The source's own baseline says nothing here.
        def published(figure)
          ratio = figure[:ratio]
          return if ratio.nil? || ratio.round(4) == 1
          source = figure[:hardware].split(",").first # all of it stands in the text; here it would run into the number
          Bar.new(label: "published: #{figure[:label]}, #{source}", text: format("%.2fx", ratio), value: ratio,
            low: ratio, high: ratio, css: "bar published")
        end

        def css(row) = row[:control] ? "bar control" : "bar"

        # @param one [Boolean] whether to mark 1.0, where nothing is won or lost
        def draw(bars, label, one: false)
          largest = [*bars.map(&:high), *bars.map(&:value)].max * MARGIN
          rows = bars.each_with_index.flat_map { |bar, index| row(bar, index * ROW, largest, one) }
          SVG.chart(bars.size * ROW, label, rows)
        end

        def row(bar, top, largest, one)
          middle = top + TOP + THICK / 2.0
          [SVG.text(0, top + LETTERS, bar.label, "label"), SVG.text(1, top + LETTERS, bar.text, "value", :end),
            SVG.rect(0, bar.value / largest, top + TOP, THICK, bar.css),
            (SVG.line(bar.low / largest, middle, bar.high / largest, middle, "range") if bar.high > bar.low),
            (SVG.line(1 / largest, top + TOP - 2, 1 / largest, top + TOP + THICK + 2, "one") if one)].compact
        end

        private_class_method :speedup, :published, :css, :draw, :row
      end
    end
  end
end
