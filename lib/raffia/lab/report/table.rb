# frozen_string_literal: true

module Raffia
  module Lab
    module Report
      # A table of text that fits a width: less important columns go before a line is broken.
      module Table
        GAP = "  "

        extend self

        # The head, then a line for each row.
        def lines(columns, width)
          kept = fit(columns, width)
          widths = kept.map { |column| widest(column) }
          rows = [kept.map(&:head), *kept.map(&:cells).transpose]
          rows.map do |cells|
            cells.zip(widths, kept).map { |cell, size, column| align(cell, size, column) }.join(GAP)
              .rstrip
          end
        end

        private

        def fit(columns, width)
          return columns if total(columns) <= width
          least = columns.select { |column| column.rank.positive? }.max_by(&:rank)
          least ? fit(columns.reject { |column| column.equal?(least) }, width) : columns
        end

        def total(columns) = columns.sum { |column| widest(column) } + GAP.size * (columns.size - 1)

        def widest(column) = [column.head, *column.cells].map(&:size).max

        def align(cell, size, column) = column.name? ? cell.ljust(size) : cell.rjust(size)
      end
    end
  end
end
