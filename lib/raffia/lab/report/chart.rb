# frozen_string_literal: true

require_relative "svg"
require_relative "words"

module Raffia
  module Lab
    module Report
      # The two charts of an experiment: the figures as bars, and the speed-ups with the published ones beside them.
      module Chart
        # Pixels: a row is a line of letters over a bar.
        ROW = 44
        BAR = 14
        BASELINE = 14

        module_function

        # @param outcome [Hash] of {Outcome}
        # @return [String, nil] nil when nothing was measured
        def figures(outcome)
          rows = outcome[:rows].select { |row| row[:median] }
          return if rows.empty?
          largest = rows.map { |row| row[:max] }.max
          elements = rows.each_with_index.flat_map { |row, index| figure(row, index * ROW, largest, outcome[:unit]) }
          SVG.chart(rows.size * ROW, "#{outcome[:name]}: medians, #{outcome[:more] ? "longer" : "shorter"} is better", elements)
        end

        # @param outcome [Hash]
        # @return [String, nil] nil when nothing was compared
        def speedups(outcome)
          rows = outcome[:rows].select { |row| row[:speedup] || row[:variant] == outcome[:baseline] && row[:median] }
          return if rows.size < 2
          largest = [*rows.map { |row| row.dig(:speedup, :high) }, *ratios(outcome).map(&:last), 1.0].compact.max * 1.02
          elements = rows.each_with_index.flat_map { |row, index| speedup(row, index * ROW, largest) }
          top = rows.size * ROW
          others = ratios(outcome).each_with_index.flat_map { |(label, ratio), index| published(label, ratio, top + index * ROW, largest) }
          height = top + ratios(outcome).size * ROW
          one = SVG.line(1 / largest, 0, 1 / largest, height, "one")
          SVG.chart(height, "#{outcome[:name]}: speed-up against #{outcome[:baseline]}, published ones included", [one, *elements, *others])
        end

        # @return [Array<Array(String, Float)>] what others published
        def ratios(outcome)
          compared = outcome[:published].select { |each| each[:ratio] && each[:ratio].round(4) != 1 }
          compared.map { |each| ["#{each[:label]}, #{each[:hardware]}", each[:ratio]] }
        end

        def figure(row, top, largest, unit)
          middle = top + BASELINE + 6 + BAR / 2.0
          [SVG.text(0, top + BASELINE, Words.label(row), "label"),
            SVG.text(1, top + BASELINE, Words.figure(row[:median], unit), "value", :end),
            SVG.rect(0, row[:median] / largest, top + BASELINE + 6, BAR, row[:control] ? "bar control" : "bar"),
            SVG.line(row[:min] / largest, middle, row[:max] / largest, middle, "range")]
        end

        def speedup(row, top, largest)
          ratio = row[:speedup] || {value: 1.0, low: 1.0, high: 1.0, noise: false}
          middle = top + BASELINE + 6 + BAR / 2.0
          css = [row[:control] ? "bar control" : "bar", ("noise" if ratio[:noise])].compact.join(" ")
          [SVG.text(0, top + BASELINE, Words.label(row), "label"),
            SVG.text(1, top + BASELINE, "#{format("%.2fx", ratio[:value])}#{", noise" if ratio[:noise]}", "value", :end),
            SVG.rect(0, ratio[:value] / largest, top + BASELINE + 6, BAR, css),
            SVG.line(ratio[:low] / largest, middle, ratio[:high] / largest, middle, "range")]
        end

        def published(label, ratio, top, largest)
          [SVG.text(0, top + BASELINE, "published: #{label}", "label other"),
            SVG.text(1, top + BASELINE, format("%.2fx", ratio), "value", :end),
            SVG.rect(0, ratio / largest, top + BASELINE + 6, BAR, "bar published")]
        end

        private_class_method :ratios, :figure, :speedup, :published
      end
    end
  end
end
