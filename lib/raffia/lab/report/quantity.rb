# frozen_string_literal: true

module Raffia
  module Lab
    module Report
      # One unit for all the figures of a column or a chart: 900 ms beside 1.2 s is hard to compare.
      class Quantity < Data.define(:unit, :factor)
        STEPS = {
          "s" => [["s", 1], ["ms", 1_000]],
          "bytes" => [["GB", 1.0 / (1 << 30)], ["MB", 1.0 / (1 << 20)]]
        }.each_value { |steps| steps.each(&:freeze).freeze }.freeze
        SHORT = {"requests/s" => "req/s"}.freeze
        # Below that, the next smaller unit reads better.
        LEAST = 0.9995
        MOST_DIGITS = 3
        NONE = "-"

        # The unit that suits the largest value. unit: of an experiment's metric, or "bytes".
        def self.of(unit, values)
          largest = values.compact.max || 0
          steps = STEPS.fetch(unit, [[unit, 1]])
          name, factor = steps.find { |_, factor| largest * factor >= LEAST } || steps.last
          new(unit: SHORT.fetch(name, name), factor:)
        end

        # 54,680.
        def self.thousands(number) = number.to_s.gsub(/(?<=\d)(?=(\d{3})+\z)/, ",")

        # With three significant digits: "12.3 ms".
        def call(value) = value ? "#{number(value)} #{unit}" : NONE

        def number(value)
          own = value * factor
          return "0" if own.zero?
          return Quantity.thousands(own.round) if own.round >= 1_000
          own = own.round(2 - Math.log10(own).floor) # 9.996 becomes 10.0, with one digit less
          digits = 2 - Math.log10([own, 0.01].max).floor
          format("%.#{digits.clamp(0, MOST_DIGITS)}f", own)
        end

        # "3.90 - 4.10 s".
        def range(low, high) = low ? "#{number(low)} - #{number(high)} #{unit}" : NONE
      end
    end
  end
end
