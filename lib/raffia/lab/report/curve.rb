# frozen_string_literal: true

require_relative "axis"
require_relative "svg"
require_relative "words"

module Raffia
  module Lab
    module Report
      # The speed-up over the number of workers, a line for each variant, beside the ideal one.
      class Curve
        HEIGHT = 260
        TOP = 24
        BOTTOM = 30
        # Shares of the width: room for the numbers of the scale, and for the last point.
        LEFT = 0.09
        RIGHT = 0.95
        CAP = 0.006
        # Between lines that would hide each other.
        APART = 0.008

        # @param outcome [Hash] of {Outcome}, with at least one series
        def initialize(outcome)
          @name = outcome[:name]
          @series = outcome[:scaling]
          points = @series.flat_map { |each| each[:points] }
          @counts = points.map { |point| point[:workers] }.uniq.sort
          @ideal = points.to_h { |point| point.values_at(:workers, :ideal) }.sort
          @axis = Axis.new(points.flat_map { |point| [point[:ideal], point[:speedup][:high]] }
            .compact)
        end

        # @return [String]
        def to_s
          lines = @series.each_with_index.flat_map { |series, index| line(series, index) }
          SVG.chart(HEIGHT, "#{@name}: speed-up by the number of workers, beside the ideal; its " \
            "figures are in the table", [*grid, *ideal, *lines])
        end

        # @return [Array<Array(String, String)>] what each line is: its shape, and its name
        def legend
          names = @series.each_with_index.map do |each, index|
            [SVG.marker(0.5, 8, index, "point s#{index % SVG::MARKERS.size}"),
              "#{Words.label(each)}#{", control" if each[:control]}"]
          end
          [[SVG.line(0, 8, 1, 8, "ideal"), "ideal"], *names]
        end

        private

        # Workers lie as far from each other as their numbers.
        def x(workers)
          return (LEFT + RIGHT) / 2 if @counts.size == 1
          LEFT + (RIGHT - LEFT) * (workers - @counts.first).fdiv(@counts.last - @counts.first)
        end

        def y(value) = HEIGHT - BOTTOM - @axis.share(value) * (HEIGHT - BOTTOM - TOP)

        def grid
          rows = @axis.ticks.flat_map do |tick|
            [SVG.line(0, y(tick), 1, y(tick), "grid"),
              SVG.text(0, y(tick) - 4, "#{@axis.label(tick)}x", "tick")]
          end
          [*rows,
            *@counts.map { |count|
              SVG.text(x(count), HEIGHT - 10, (count == 1) ? "1 worker" : count.to_s, "tick",
                :middle)
            }]
        end

        def ideal
          @ideal.each_cons(2).map do |(from, low), (to, high)|
            SVG.line(x(from), y(low), x(to), y(high), "ideal")
          end
        end

        def line(series, index)
          css = "s#{index % SVG::MARKERS.size}#{" control" if series[:control]}"
          aside = (index - (@series.size - 1) / 2.0) * APART
          points = series[:points].map { |point| [x(point[:workers]) + aside, point[:speedup]] }
          [*points.each_cons(2).map { |(from, low), (to, high)|
            SVG.line(from, y(low[:value]), to, y(high[:value]), "series #{css}")
          },
            *points.flat_map { |at, ratio| interval(at, ratio, css) },
            *points.map { |at, ratio| SVG.marker(at, y(ratio[:value]), index, "point #{css}") }]
        end

        def interval(at, ratio, css)
          return [] unless ratio[:high] > ratio[:low]
          ends = ratio.values_at(:low, :high)
            .map { |value| SVG.line(at - CAP, y(value), at + CAP, y(value), "whisker #{css}") }
          [SVG.line(at, y(ratio[:low]), at, y(ratio[:high]), "whisker #{css}"), *ends]
        end
      end
    end
  end
end
