# frozen_string_literal: true

require_relative "axis"
require_relative "svg"

module Raffia
  module Charts
    # The part of a chart with an upright scale, its grid, and labels below.
    class PlotArea
      TOP = 20
      BOTTOM = 24

      # +unit+: written after each tick.
      def initialize(axis, height, unit: "")
        @axis = axis
        @height = height
        @unit = unit
      end

      # Pixels from the top to a value.
      def y(value) = base - @axis.share(value) * depth

      # Pixels from the top to 0.
      def base = @height - BOTTOM

      # Pixels from 0 to the end of the scale.
      def depth = base - TOP

      def grid = @axis.ticks.map { |tick| SVG.line(0, y(tick), 1, y(tick), "grid") }

      # Labels of the grid, in the left margin.
      def scale = @axis.ticks.map { |tick| SVG.label(y(tick), "#{@axis.label(tick)}#{@unit}") }

      # A label below, at a share of the width. It stays within the chart.
      def mark(share, text)
        anchor = if share < 0.05 then :start
        elsif share > 0.95 then :end
        else :middle
        end
        SVG.text(share, @height - 6, text, "tick", anchor)
      end

      # An invisible column that shows the values of the series under the pointer.
      def pointer(from, to, name, values)
        texts = values.map { |series, value| "#{series} #{@axis.exact(value)}" }
        SVG.rect(from, to, TOP, depth, "pointer", "#{name}: #{texts.join(", ")}")
      end

      def svg(label, elements) = SVG.chart(@height, label, elements, "chart upright")
    end
  end
end
