# frozen_string_literal: true

module Raffia
  module Lab
    module Report
      # The scale of a chart: from 0 to a little more than the largest value, with ticks at round
      # numbers.
      class Axis
        STEPS = [1, 2, 2.5, 5, 10].freeze
        TICKS = 5
        # Room beyond the largest value.
        MARGIN = 1.04

        # @return [Array<Float>] round numbers, 0 among them
        attr_reader :ticks

        # @param values [Array<Numeric>]
        # @param factor [Numeric] of the unit that the ticks are shown in: they are round in that
        def initialize(values, factor: 1)
          @top = [values.max.to_f, Float::MIN].max * MARGIN
          step = step(@top * factor) / factor
          @ticks = (0..(@top / step).floor).map { |index| index * step }
          @factor = factor
        end

        # @param value [Numeric]
        # @return [Float] 0.0 to 1.0
        def share(value) = value / @top

        # @return [String] in the axis's unit, without it
        def label(tick)
          return Words.thousands((tick * @factor).round) if step(@top * @factor) % 1 == 0
          format("%.*f", digits(step(@top * @factor)), tick * @factor).sub(/\.?0+\z/, "")
        end

        private

        # One more than the step's first: 0.25 and 2.5 need it.
        def digits(step) = 1 - Math.log10(step).floor

        def step(top)
          rough = top / TICKS
          power = 10.0**Math.log10(rough).floor
          power * STEPS.find { |step| step * power >= rough }
        end
      end
    end
  end
end
