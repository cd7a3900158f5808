# frozen_string_literal: true

module Raffia
  module Lab
    module Report
      # The table of changes since an earlier result: experiments of {Comparison}.
      module ChangeColumns
        module_function

        # Rows that both results have. The summary counts the others.
        def rows(change) = change[:rows].select { |row| row[:before] && row[:after] }

        def of(change)
          rows = rows(change)
          quantity = Quantity.of(change[:unit],
            rows.flat_map { |row| row.values_at(:before, :after) })
          columns = [Column.of(rows, "on", 0) { |row| Format.variant(row) },
            Column.of(rows, "workers", 1) { |row| row[:workers].to_s },
            Column.of(rows, "ruby", 0) { |row| row[:ruby].to_s },
            Column.of(rows, "before", 2) { |row| quantity.call(row[:before]) },
            Column.of(rows, "after", 2) { |row| quantity.call(row[:after]) },
            Column.of(rows, "better by", 0) { |row| Format.interval(row[:ratio]) },
            Column.of(rows, "verdict", 0) { |row| row[:verdict] },
            Column.of(rows, "CPU", 3) { |row| Format.ratio(row[:cpu]) },
            Column.of(rows, "peak PSS", 4) { |row| Format.ratio(row[:pss]) }]
          columns.reject { |column| column.head != "verdict" && column.empty? }
        end

        # A sentence about a whole {Comparison}.
        def summary(comparison)
          counts = comparison[:verdicts].map { |verdict, count| "#{count} #{verdict}" }.join(", ")
          started, commit = comparison[:before].values_at(:started_at, :commit)
          before = [started, ("commit #{commit}" if commit)].compact.join(", ")
          "Against the result of #{before}: " \
            "#{counts.empty? ? "nothing in common" : counts}."
        end

        def legend
          "Above 1 the later result is better; in brackets the 95% interval of the ratio."
        end
      end
    end
  end
end
