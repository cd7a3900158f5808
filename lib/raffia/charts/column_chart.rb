# frozen_string_literal: true

require_relative "plot_area"

module Raffia
  module Charts
    # Counts as columns. Further series stand in front of the first one.
    class ColumnChart
      HEIGHT = 180
      # Part of its position that a column fills.
      WIDTH = 0.76

      # @param label [String] what a screen reader says instead
      # @param series [Hash{String => Array<Integer>}] name => values, as many in each
      # @param names [Array<String>] of the positions, shown under the pointer
      # @param marks [Hash{Integer => String}] positions that have a label below
      def initialize(label, series, names:, marks: {})
        @label = label
        @series = series
        @names = names
        @marks = marks
        @axis = Axis.new(series.values.flatten, whole: true)
        @area = PlotArea.new(@axis, HEIGHT)
      end

      # @return [String]
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

      # Invisible columns, which show the values under the pointer.
      def pointers
        width = 1.0 / @names.size
        @names.each_index.map do |index|
          SVG.rect(index * width, (index + 1) * width, PlotArea::TOP, @area.depth, "pointer",
            title(index))
        end
      end

      def title(index)
        "#{@names[index]}: " \
          "#{@series.map { |series, values| "#{series} #{@axis.exact(values[index])}" }.join(", ")}"
      end
    end
  end
end
