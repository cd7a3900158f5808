# frozen_string_literal: true

module Raffia
  module Lab
    module Report
      # How figures read: the same on the terminal and in HTML.
      module Words
        NAMES = {"plain_ractors" => "plain Ractor.new", "plain_threads" => "plain Thread.new"}.freeze
        NONE = "-"

        module_function

        # @param row [Hash] of {Outcome}
        # @return [String]
        def variant(row) = NAMES.fetch(row[:variant], row[:variant])

        # @return [String] "processes x2"
        def label(row) = (row[:workers].to_i > 1) ? "#{variant(row)} x#{row[:workers]}" : variant(row)

        # @param value [Numeric, nil]
        # @param unit [String]
        # @return [String] with three significant digits
        def figure(value, unit)
          return NONE unless value
          return "#{thousands(value.round)} #{(unit == "requests/s") ? "req/s" : unit}" unless unit == "s"
          number, unit = (value < 0.9995) ? [value * 1_000, "ms"] : [value, "s"]
          digits = [2 - [Math.log10([number, 0.1].max).floor, 0].max, 0].max
          "#{format("%.#{digits}f", number)} #{unit}"
        end

        # @return [String] 54,680
        def thousands(number) = number.to_s.gsub(/(?<=\d)(?=(\d{3})+\z)/, ",")

        # @return [String] how far the runs lie apart
        def spread(row) = row[:cv] ? format("%.1f%%", row[:cv] * 100) : NONE

        # @return [String]
        def range(row, unit) = row[:min] ? "#{figure(row[:min], unit)} - #{figure(row[:max], unit)}" : NONE

        # @return [String] noise is said to be noise
        def speedup(row, baseline)
          return (row[:variant] == baseline && row[:median]) ? "1 (base)" : NONE unless (ratio = row[:speedup])
          text = format("%.2fx", ratio[:value])
          ratio[:noise] ? "noise (#{text})" : text
        end

        # @return [String]
        def percent(value) = value ? "#{(value * 100).round}%" : NONE

        # @return [String]
        def bytes(value)
          return NONE unless value
          megabytes = value / 1_048_576.0
          (megabytes < 1_024) ? format("%.1f MB", megabytes) : format("%.1f GB", megabytes / 1_024)
        end

        # @return [String]
        def seconds(value) = figure(value, "s")

        # @return [String]
        def extra(value, pattern) = value ? thousands_in(format(pattern, value)) : NONE

        # @param figures [Array<Hash>] of {Published}
        # @return [String]
        def published(figures, unit)
          return "" if figures.empty?
          figures.map { |each| [(format("%.2fx", each[:ratio]) if each[:ratio]), figure(each[:value], unit)].compact.join(" ") }.join("; ")
        end

        def thousands_in(text) = text.match?(/\A\d+\z/) ? thousands(text) : text

        private_class_method :thousands_in
      end
    end
  end
end
