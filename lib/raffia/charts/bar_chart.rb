# frozen_string_literal: true

require_relative "axis"
require_relative "svg"

module Raffia
  module Charts
    # Horizontal bars, each with a line of text above it, its interval, and its runs as dots. One
    # scale is below all.
    class BarChart
      # One row: a bar up to +value+, an interval from +low+ to +high+, and +dots+.
      Bar = Data.define(:label, :text, :value, :low, :high, :dots, :css) do
        def initialize(label:, text:, value:, low: nil, high: nil, dots: [], css: "bar") = super

        def extent = [value, low, high, *dots].compact
      end

      # All in pixels. A row has a line of text over a bar.
      ROW = 46
      TEXT = 14
      TOP = 20
      THICKNESS = 16
      CAP = 4
      SCALE = 24

      # +label+: text for screen readers. +unit+ and +factor+: the scale's, see {Axis}. +one+:
      # whether to mark 1.0, where compared values are equal.
      def initialize(bars, label, unit:, factor: 1, one: false)
        @bars = bars
        @label = label
        @unit = unit
        @one = one
        @axis = Axis.new(bars.flat_map(&:extent), factor:)
      end

      def to_s
        rows = @bars.each_with_index.flat_map { |bar, index| row(bar, index * ROW) }
        SVG.chart(bottom + SCALE, @label, [*grid, *rows])
      end

      private

      def bottom = @bars.size * ROW

      def share(value) = @axis.share(value)

      def grid
        last = @axis.ticks.last
        @axis.ticks.flat_map do |tick|
          unit = " #{@unit}" if tick.equal?(last) && !@unit.empty?
          [SVG.line(share(tick), 0, share(tick), bottom + 4, "grid"),
            SVG.text(share(tick), bottom + SCALE - 4, "#{@axis.label(tick)}#{unit}", "tick",
              anchor(tick))]
        end
      end

      # The outer labels must stay within the chart.
      def anchor(tick)
        return :start if tick.zero?

        (share(tick) > 0.93) ? :end : :middle
      end

      def row(bar, top)
        [SVG.text(0, top + TEXT, bar.label, "label"),
          SVG.text(1, top + TEXT, bar.text, "value", :end),
          SVG.rect(0, share(bar.value), top + TOP, THICKNESS, bar.css), *(one(top) if @one),
          *interval(bar, top), *dots(bar, top)]
      end

      def interval(bar, top)
        return unless bar.low && bar.high > bar.low

        middle = top + TOP + THICKNESS / 2.0
        ends = [bar.low, bar.high].map do |value|
          SVG.line(share(value), middle - CAP, share(value), middle + CAP, "range")
        end
        [SVG.line(share(bar.low), middle, share(bar.high), middle, "range"), *ends]
      end

      def dots(bar, top)
        bar.dots.map { |value| SVG.circle(share(value), top + TOP + THICKNESS / 2.0, 2.5, "run") }
      end

      def one(top) = [SVG.line(share(1), top + TOP - 3, share(1), top + TOP + THICKNESS + 3, "one")]
    end
  end
end
