# frozen_string_literal: true

module Raffia
  module Charts
    # Scale of a chart: from 0 to just above the largest value, with ticks at round numbers.
    class Axis
      STEPS = [1, 2, 2.5, 5, 10].freeze
      TICKS = 5
      MARGIN = 1.04
      MILLION = 1e6

      # Round numbers, from 0 on.
      attr_reader :ticks

      # +factor+ converts values to the unit of labels, in which ticks are round. With +whole+, no
      # tick lies between two integers.
      def initialize(values, factor: 1, whole: false)
        @top = [values.max.to_f, whole ? 1.0 : Float::MIN].max * MARGIN
        @factor = factor
        @step = round_step(@top * factor)
        @step = @step.clamp(1..) if whole
        @ticks = (0..(@top * factor / @step).floor).map { |index| index * @step / factor }
      end

      # Position of a value, from 0.0 to 1.0.
      def share(value) = value / @top

      # Number of a tick in the unit of labels.
      def label(tick)
        if @step * TICKS > MILLION
          return "0" if tick.zero?
          return "#{(tick * @factor / MILLION).round(2).to_s.delete_suffix(".0")}M"
        end
        return exact((tick * @factor).round) if (@step % 1).zero?

        # One digit after the step's first one, for 0.25 and 2.5.
        format("%.*f", 1 - Math.log10(@step).floor, tick * @factor).sub(/\.?0+\z/, "")
      end

      # The number with commas between thousands.
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
