# frozen_string_literal: true

require_relative "plot_area"

module Raffia
  module Charts
    # Counts as columns. Further series stand in front of the first one.
    class ColumnChart
      HEIGHT = 180
      WIDTH = 0.76

      # Parameters are those of {AreaChart#initialize}.
      def initialize(label, series, names:, marks: {})
        @label = label
        @series = series
        @names = names
        @marks = marks
        @axis = Axis.new(series.values.flatten, whole: true)
        @area = PlotArea.new(@axis, HEIGHT)
      end

      def to_s
        columns = @names.each_index.flat_map { |index| columns(index) }
        marks = @marks.map { |index, text| @area.mark(middle(index), text) }
        @area.svg(@label, [*@area.grid, *columns, *@area.scale, *marks, *pointers])
      end

      private

      def middle(index) = (index + 0.5) / @names.size

      def columns(index)
        half = WIDTH / 2 / @names.size
        from, to = middle(index) - half, middle(index) + half
        @series.values.each_with_index.filter_map do |values, series|
          next if values[index].zero?

          top = [@area.y(values[index]), @area.base - 1].min
          SVG.rect(from, to, top, @area.base - top, "column s#{series}")
        end
      end

      def pointers
        width = 1.0 / @names.size
        @names.each_index.map do |index|
          @area.pointer(index * width, (index + 1) * width, @names[index],
            @series.transform_values { |values| values[index] })
        end
      end
    end
  end
end
