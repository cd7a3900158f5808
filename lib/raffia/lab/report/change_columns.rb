# frozen_string_literal: true

require_relative "columns"

module Raffia
  module Lab
    module Report
      # The table of what has changed since an earlier result.
      module ChangeColumns
        module_function

        # Rows that only one of the results has are counted in the summary; here there is nothing to
        # be said about them.
        #
        # @param change [Hash] one of the experiments of {Comparison}
        # @return [Array<Hash>]
        def rows(change) = change[:rows].select { |row| row[:before] && row[:after] }

        # @param change [Hash]
        # @return [Array<Column>]
        def of(change)
          rows = rows(change)
          quantity = Quantity.of(change[:unit],
            rows.flat_map { |row| row.values_at(:before, :after) })
          [Column.of(rows, "on", 0) { |row| Format.variant(row) },
            Column.of(rows, "workers", 1) { |row| row[:workers].to_s },
            Column.of(rows, "ruby", 0) { |row| row[:ruby].to_s },
            Column.of(rows, "before", 2) { |row| quantity.call(row[:before]) },
            Column.of(rows, "after", 2) { |row| quantity.call(row[:after]) },
            Column.of(rows, "better by", 0) { |row| Format.interval(row[:ratio]) },
            Column.of(rows, "verdict", 0) { |row| row[:verdict] },
            Column.of(rows, "CPU", 3) { |row| Format.ratio(row[:cpu]) },
            Column.of(rows, "peak PSS", 4) { |row| Format.ratio(row[:pss]) }].reject do |column|
              column.head != "verdict" && column.empty?
            end
        end

        # @param comparison [Hash] of {Comparison}
        # @return [String]
        def summary(comparison)
          counts = comparison[:verdicts].map { |verdict, count| "#{count} #{verdict}" }
          before = comparison[:before]
          "Against the result of " \
            "#{[before[:started_at], before[:commit]&.then { |id| "commit #{id}" }].compact.join(", ")}: #{counts.empty? ? "nothing in common" : counts.join(", ")}."
        end

        # @return [String] how to read the table
        def legend
          "Above 1 the later result is better; in brackets the 95% interval of the ratio."
        end
      end
    end
  end
end
