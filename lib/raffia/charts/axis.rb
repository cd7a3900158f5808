# frozen_string_literal: true

module Raffia
  module Charts
    # Scale of a chart: from 0 to a little more than the largest value, with ticks at round numbers.
    class Axis
      STEPS = [1, 2, 2.5, 5, 10].freeze
      TICKS = 5
      # Room beyond the largest value.
      MARGIN = 1.04
      MILLION = 1e6

      # @return [Array<Float>] round numbers, 0 among them
      attr_reader :ticks

      # @param values [Array<Numeric>]
      # @param factor [Numeric] of the unit that labels are in: ticks are round in that unit
      # @param whole [Boolean] whether values are counts, so that no tick lies between two of them
      def initialize(values, factor: 1, whole: false)
        @top = [values.max.to_f, whole ? 1.0 : Float::MIN].max * MARGIN
        @factor = factor
        @step = round_step(@top * factor)
        @step = @step.clamp(1..) if whole
        @ticks = (0..(@top * factor / @step).floor).map { |index| index * @step / factor }
      end

      # @param value [Numeric]
      # @return [Float] 0.0 to 1.0
      def share(value) = value / @top

      # @return [String] in the axis's unit, without the unit
      def label(tick)
        if @step * TICKS > MILLION
          return "0" if tick.zero?
          return "#{(tick * @factor / MILLION).round(2).to_s.delete_suffix(".0")}M"
        end
        return exact((tick * @factor).round) if (@step % 1).zero?

        # One digit more than the step's first: 0.25 and 2.5 need it.
        format("%.*f", 1 - Math.log10(@step).floor, tick * @factor).sub(/\.?0+\z/, "")
      end

      # @return [String] the number with a comma after each thousand
      def exact(value) = value.to_s.gsub(/(?<=\d)(?=(\d{3})+(?:\.|\z))/, ",")

      private

      def round_step(top)
        rough = top / TICKS
        power = 10.0**Math.log10(rough).floor
        power * STEPS.find { |step| step * power >= rough }
      end
    end
  end
end
