# frozen_string_literal: true

require_relative "quantity"

module Raffia
  module Lab
    module Report
      # Formats figures, the same on the terminal and in HTML.
      module Format
        NAMES = {"plain_processes" => "plain fork", "plain_ractors" => "plain Ractor.new",
                 "plain_threads" => "plain Thread.new"}.freeze
        NONE = Quantity::NONE

        extend self

        def variant(row) = NAMES.fetch(row[:variant], row[:variant])

        # "processes x2", "processes x2 (3.3.8)".
        def label(row)
          [variant(row), ("x#{row[:workers]}" if row[:workers].to_i > 1),
            ("(#{row[:ruby]})" if row[:ruby])].compact.join(" ")
        end

        # In the best unit for this one figure.
        def figure(value, unit) = Quantity.of(unit, [value]).call(value)

        def thousands(number) = Quantity.thousands(number)

        # Relative spread of the runs.
        def spread(row) = row[:cv] ? format("%.1f%%", row[:cv] * 100) : NONE

        def times(value) = value ? format("%.2fx", value) : NONE

        # "1.95x (1.90 - 2.00)" of a {Statistics::Ratio}.
        def interval(ratio)
          return NONE unless ratio
          return times(ratio[:value]) if ratio[:low] == ratio[:high] # of a single run
          format("%.2fx (%.2f - %.2f)", *ratio.values_at(:value, :low, :high))
        end

        # A ratio, marked when it is of a single run, or noise.
        def ratio(ratio)
          return NONE unless ratio
          return "1 run (#{times(ratio[:value])})" if ratio[:single]
          ratio[:noise] ? "noise (#{times(ratio[:value])})" : times(ratio[:value])
        end

        def speedup(row, baseline)
          (row[:variant] == baseline && row[:median]) ? "1 (base)" : ratio(row[:speedup])
        end

        def percent(value) = value ? "#{(value * 100).round}%" : NONE

        def bytes(value) = figure(value, "bytes")

        # 1.23 G.
        def count(value)
          return NONE unless value
          size, letter = {1e9 => "G", 1e6 => "M", 1e3 => "k"}.find { |least, _| value >= least } ||
            [1, ""]
          "#{format("%.3g", value / size)} #{letter}".strip
        end

        def extra(value, pattern) = value ? thousands_in(format(pattern, value)) : NONE

        def published(figures, unit)
          return "" if figures.empty?
          figures.map { |each|
            [(times(each[:ratio]) if each[:ratio]), figure(each[:value], unit)].compact.join(" ")
          }.join("; ")
        end

        private

        def thousands_in(text) = text.match?(/\A\d+\z/) ? thousands(text) : text
      end
    end
  end
end
