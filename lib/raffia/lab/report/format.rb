# frozen_string_literal: true

require_relative "quantity"

module Raffia
  module Lab
    module Report
      # How figures read: the same on the terminal and in HTML.
      module Format
        NAMES = {"plain_processes" => "plain fork", "plain_ractors" => "plain Ractor.new",
                 "plain_threads" => "plain Thread.new"}.freeze
        NONE = Quantity::NONE

        module_function

        # @param row [Hash] of {Outcome}
        # @return [String]
        def variant(row) = NAMES.fetch(row[:variant], row[:variant])

        # @return [String] "processes x2", "processes x2 (3.3.8)"
        def label(row)
          [variant(row), ("x#{row[:workers]}" if row[:workers].to_i > 1),
            ("(#{row[:ruby]})" if row[:ruby])].compact.join(" ")
        end

        # @param value [Numeric, nil]
        # @param unit [String]
        # @return [String] in the unit that suits this one figure
        def figure(value, unit) = Quantity.of(unit, [value]).call(value)

        # @return [String] 54,680
        def thousands(number) = number.to_s.gsub(/(?<=\d)(?=(\d{3})+\z)/, ",")

        # @return [String] how far the runs lie apart
        def spread(row) = row[:cv] ? format("%.1f%%", row[:cv] * 100) : NONE

        # @return [String] "1.95x"
        def times(value) = value ? format("%.2fx", value) : NONE

        # @param ratio [Hash, nil] of {Statistics::Ratio}
        # @return [String] "1.95x (1.90 - 2.00)"
        def interval(ratio)
          return NONE unless ratio
          return times(ratio[:value]) if ratio[:low] == ratio[:high] # of a single run
          format("%.2fx (%.2f - %.2f)", *ratio.values_at(:value, :low, :high))
        end

        # @return [String] a single run is said to be one, noise to be noise
        def ratio(ratio)
          return NONE unless ratio
          return "1 run (#{times(ratio[:value])})" if ratio[:single]
          ratio[:noise] ? "noise (#{times(ratio[:value])})" : times(ratio[:value])
        end

        # @return [String]
        def speedup(row, baseline)
          (row[:variant] == baseline && row[:median]) ? "1 (base)" : ratio(row[:speedup])
        end

        # @return [String]
        def percent(value) = value ? "#{(value * 100).round}%" : NONE

        # @return [String]
        def bytes(value) = figure(value, "bytes")

        # @return [String] 1.23 G
        def count(value)
          return NONE unless value
          size, letter = {1e9 => "G", 1e6 => "M", 1e3 => "k"}.find { |least, _| value >= least } ||
            [1, ""]
          "#{format("%.3g", value / size)} #{letter}".strip
        end

        # @return [String]
        def extra(value, pattern) = value ? thousands_in(format(pattern, value)) : NONE

        # @param figures [Array<Hash>] of {PublishedFigures}
        # @return [String]
        def published(figures, unit)
          return "" if figures.empty?
          figures.map { |each|
            [(times(each[:ratio]) if each[:ratio]), figure(each[:value], unit)].compact.join(" ")
          }.join("; ")
        end

        def thousands_in(text) = text.match?(/\A\d+\z/) ? thousands(text) : text

        private_class_method :thousands_in
      end
    end
  end
end
