# frozen_string_literal: true

require "json"

module SimulationBench
  # One line for each model: what simulation and stress found.
  class Table
    HEADERS = ["bug", "source", "needs", "found", "median", "max", "switches", "runs/s",
      "fixed, clean", "stress"].freeze

    # A model's figures.
    #
    # @!attribute model
    #   @return [Model]
    # @!attribute search
    #   @return [Search::Result]
    # @!attribute stress
    #   @return [Stress::Result, nil] nil if the model does not run on real threads
    Row = Data.define(:model, :search, :stress) do
      def cells(seeds)
        [model.name, model.source, model.needs.join(", "), "#{search.found.size} of #{seeds}",
          median(search.found), search.found.max, median(search.switches), search.rate.round, fixed,
          stressed]
      end

      def fixed
        search.fixed_error ? "fails in #{search.fixed_runs}" : search.fixed_runs
      end

      def stressed = stress ? "#{stress.found} of #{stress.runs}" : "not run"

      def to_h
        {name: model.name, source: model.source, fault: model.fault, needs: model.needs,
         search: search.to_h, stress: stress&.to_h}
      end

      def median(numbers)
        sorted = numbers.compact.sort
        return if sorted.empty?

        middle = sorted.size / 2
        sorted.size.odd? ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2.0
      end
    end

    # @param rows [Array<Row>]
    # @param options [Hash]
    def initialize(rows, options)
      @rows = rows
      @options = options
    end

    def json = JSON.pretty_generate(options: @options, models: @rows.map(&:to_h))

    def markdown
      ["| #{HEADERS.join(" | ")} |", "|#{"---|" * 3}#{"---:|" * (HEADERS.size - 3)}",
        *cells.map { |row| "| #{row.join(" | ")} |" }, "", summary].join("\n")
    end

    def text
      lines = [HEADERS, *cells]
      widths = lines.transpose.map { |column| column.map { |cell| cell.to_s.size }.max }
      lines.map { |line|
        line.zip(widths).map { |cell, width| cell.to_s.ljust(width) }.join("  ").rstrip
      }.push("", summary).join("\n")
    end

    private

    def cells = @rows.map { |row| row.cells(@options[:seeds]) }

    def summary
      all = @rows.count { |row| row.search.found.size == @options[:seeds] }
      clean = @rows.count { |row| row.search.fixed_error.nil? && !row.search.hung }
      stressed = @rows.filter_map(&:stress)
      "#{@rows.size} bugs: simulation found #{all} with each seed; #{clean} fixed versions are " \
        "clean; stress found #{stressed.count { |stress| stress.found.positive? }} of " \
        "#{stressed.size}."
    end
  end
end
