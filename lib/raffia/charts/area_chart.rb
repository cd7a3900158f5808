# frozen_string_literal: true

require_relative "plot_area"

module Raffia
  module Charts
    # Values at equal distances: a line with a light area below it for each series.
    class AreaChart
      HEIGHT = 180

      # +label+: text for screen readers. +series+: values by name, equally many each. +names+:
      # texts of the positions, shown under the pointer. +marks+: labels by index of position.
      # +whole+: whether values are counts.
      def initialize(label, series, names:, marks: {}, whole: false)
        @label = label
        @series = series
        @names = names
        @marks = marks
        @axis = Axis.new(series.values.flatten, whole:)
        @area = PlotArea.new(@axis, HEIGHT)
      end

      # SVG of an empty chart, which the dashboard's assets/charts.js fills. +names+: series.
      # +marks+: labels by share of the width.
      def self.empty(label, names, marks)
        area = PlotArea.new(Axis.new([0]), HEIGHT)
        heights = [0, 0.5, 1].map { |share| area.base - share * area.depth }
        lines = names.each_index.flat_map do |index|
          [SVG.polygon("", index), SVG.polyline("", index)]
        end
        area.svg(label, [*heights.map { |y| SVG.line(0, y, 1, y, "grid") },
          SVG.stretched(PlotArea::TOP, area.depth, SVG::STRETCHED, lines),
          *heights.map { |y| SVG.label(y, "") },
          *marks.map { |share, text| area.mark(share, text) }])
      end

      def to_s
        lines = @series.values.each_with_index.flat_map { |values, index| line(values, index) }
        @area.svg(@label, [*@area.grid, SVG.stretched(PlotArea::TOP, @area.depth, last, lines),
          *@area.scale, *marks, *pointers])
      end

      private

      def last = [@names.size - 1, 1].max

      def line(values, index)
        floor = SVG::STRETCHED
        points = values.each_with_index.map do |value, at|
          "#{at},#{((1 - @axis.share(value)) * floor).round}"
        end
        [SVG.polygon("0,#{floor} #{points.join(" ")} #{last},#{floor}", index),
          SVG.polyline(points.join(" "), index)]
      end

      def marks = @marks.map { |index, text| @area.mark(index.fdiv(last), text) }

      # Invisible columns around the positions show their values under the pointer.
      def pointers
        @names.each_with_index.map do |name, index|
          from, to = [index - 0.5, index + 0.5].map { |at| (at / last).clamp(0.0, 1.0) }
          @area.pointer(from, to, name, @series.transform_values { |all| all[index] })
        end
      end
    end
  end
end
