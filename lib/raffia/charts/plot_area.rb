# frozen_string_literal: true

require_relative "axis"
require_relative "svg"

module Raffia
  module Charts
    # Where values are drawn above one another: an upright scale with its grid, and labels below.
    class PlotArea
      TOP = 20
      BOTTOM = 24

      # @return [Float, Integer] pixels
      attr_reader :height

      # @param axis [Axis]
      # @param unit [String] written after each tick
      def initialize(axis, height, unit: "")
        @axis = axis
        @height = height
        @unit = unit
      end

      # @return [Float] pixels from the top
      def y(value) = base - @axis.share(value) * depth

      # @return [Integer] y of 0
      def base = @height - BOTTOM

      # @return [Integer] pixels from 0 to the scale's end
      def depth = base - TOP

      # @return [Array<String>] a line for each tick
      def grid = @axis.ticks.map { |tick| SVG.line(0, y(tick), 1, y(tick), "grid") }

      # @return [Array<String>] a label left of each line, in the margin
      def scale = @axis.ticks.map { |tick| SVG.label(y(tick), "#{@axis.label(tick)}#{@unit}") }

      # @param share [Float] of the width
      # @return [String] a label below; one near an edge does not stick out
      def mark(share, text)
        anchor = if share < 0.05 then :start
        elsif share > 0.95 then :end
        else :middle
        end
        SVG.text(share, @height - 6, text, "tick", anchor)
      end

      # @param label [String] what a screen reader says instead
      # @return [String]
      def svg(label, elements) = SVG.chart(@height, label, elements, "chart upright")
    end
  end
end
