# frozen_string_literal: true

require_relative "plot_area"

module Raffia
  module Charts
    # Few values over numbers, such as speed-ups over workers: a line with markers and intervals for
    # each series, and a dashed reference.
    class LineChart
      # +points+ are Hashes of :x, :value, :low and :high.
      Series = Data.define(:name, :points, :css)

      HEIGHT = 260
      # Shares of the width, at which the first and the last point lie.
      LEFT = 0.05
      RIGHT = 0.95
      CAP = 0.006
      # Distance between lines that would hide each other.
      APART = 0.008

      # +label+: text for screen readers. +reference+: pairs of x and value. +marks+: labels by x.
      # +unit+: written after each tick.
      def initialize(label, series, reference:, marks:, unit: "")
        @label = label
        @series = series
        @reference = reference
        @marks = marks.sort.to_h
        values = reference.map(&:last) +
          series.flat_map { |one| one.points.map { |point| point[:high] } }
        @area = PlotArea.new(Axis.new(values.compact), HEIGHT, unit:)
      end

      def to_s
        lines = @series.each_with_index.flat_map { |series, index| line(series, index) }
        @area.svg(@label, [*@area.grid, *marks, *reference, *lines, *@area.scale])
      end

      # Shape and name of each line, the reference first.
      def legend(reference)
        names = @series.each_with_index.map do |series, index|
          [SVG.marker(0.5, 8, index, "point #{ink(index)}"), series.name]
        end
        [[SVG.line(0, 8, 1, 8, "ideal"), reference], *names]
      end

      private

      def marks = @marks.map { |at, text| @area.mark(x(at), text) }

      # Distances between positions are proportional to their numbers.
      def x(at)
        first, last = @marks.keys.minmax
        return (LEFT + RIGHT) / 2 if first == last

        LEFT + (RIGHT - LEFT) * (at - first).fdiv(last - first)
      end

      def reference
        @reference.each_cons(2).map do |(from, low), (to, high)|
          SVG.line(x(from), @area.y(low), x(to), @area.y(high), "ideal")
        end
      end

      def ink(index) = "s#{index % SVG::MARKERS.size}"

      def line(series, index)
        css = [ink(index), series.css].compact.join(" ")
        aside = (index - (@series.size - 1) / 2.0) * APART
        points = series.points.map { |point| [x(point[:x]) + aside, @area.y(point[:value]), point] }
        [*points.each_cons(2).map { |(from, low), (to, high)|
          SVG.line(from, low, to, high, "series #{css}")
        },
          *points.flat_map { |at, _, point| interval(at, point, css) },
          *points.map { |at, y, _| SVG.marker(at, y, index, "point #{css}") }]
      end

      def interval(at, point, css)
        return [] unless point[:high] > point[:low]

        low, high = point.values_at(:low, :high).map { |value| @area.y(value) }
        [SVG.line(at, low, at, high, "whisker #{css}"),
          *[low, high].map { |y| SVG.line(at - CAP, y, at + CAP, y, "whisker #{css}") }]
      end
    end
  end
end
