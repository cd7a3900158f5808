# frozen_string_literal: true

require_relative "format"

module Raffia
  module Lab
    module Report
      # A column of a table: head, cells, and rank. A narrow terminal drops the highest rank first,
      # and never rank 0.
      class Column < Data.define(:head, :rank, :cells)
        NAMES = ["on", "ruby", "verdict", "experiment", "result", "goals", "best"].freeze

        def self.of(rows, head, rank, &cell) = new(head:, rank:, cells: rows.map(&cell))

        def empty? = cells.all? { |cell| cell.empty? || cell == Format::NONE }

        # Names are aligned to the left, figures to the right.
        def name? = NAMES.include?(head)
      end

      # The columns of an experiment's table.
      module Columns
        module_function

        # Columns that are not empty.
        def of(outcome)
          [*names(outcome), *figures(outcome), *efficiency(outcome), *extras(outcome),
            *costs(outcome), *published(outcome)]
            .reject { |column| column.rank.positive? && column.empty? }
        end

        def baseline(outcome) = Format::NAMES.fetch(outcome[:baseline], outcome[:baseline])

        # The unit for all the figures of the main metric.
        def quantity(outcome) = Quantity.of(outcome[:unit], outcome[:rows].map { |row| row[:max] })

        def column(outcome, ...) = Column.of(outcome[:rows], ...)

        def names(outcome)
          first = outcome[:rows].filter_map { |row| row[:ruby] }.first
          [column(outcome, "on", 0) { |row| Format.variant(row) },
            column(outcome, "workers", 1) { |row| row[:workers].to_s },
            *(if first
                [column(outcome, "ruby", 0) { |row| row[:ruby].to_s },
                  column(outcome, "vs #{first}", 2) { |row| across(row, first) }]
              end)]
        end

        def across(row, first)
          (row[:ruby] == first && row[:median]) ? "1 (base)" : Format.ratio(row[:ruby_ratio])
        end

        def figures(outcome)
          quantity = quantity(outcome)
          [column(outcome, "median", 0) { |row|
            row[:median] ? quantity.call(row[:median]) : row[:status]
          },
            column(outcome, "spread", 3) { |row| Format.spread(row) },
            column(outcome, "min - max", 9) { |row| quantity.range(row[:min], row[:max]) },
            *(unless outcome[:baseline].empty?
                column(outcome, "vs #{baseline(outcome)}", 0) do |row|
                  Format.speedup(row, outcome[:baseline])
                end
              end)]
        end

        def efficiency(outcome)
          return [] unless outcome[:cpu_bound]
          [column(outcome, "per core", 5) { |row| Format.percent(row[:efficiency]) }]
        end

        def extras(outcome)
          outcome[:extras].map do |extra|
            column(outcome, extra[:label], 6) do |row|
              Format.extra(row.dig(:extras, extra[:key].to_sym), extra[:format])
            end
          end
        end

        def costs(outcome)
          seconds = Quantity.of("s", outcome[:rows].map { |row| row[:cpu] })
          [column(outcome, "CPU", 7) { |row| seconds.call(row[:cpu]) },
            column(outcome, "cycles", 10) { |row| Format.count(row[:cycles]) },
            column(outcome, "IPC", 6) { |row|
              row[:ipc] ? format("%.2f", row[:ipc]) : Format::NONE
            },
            column(outcome, "peak PSS", 4) { |row| Format.bytes(row[:pss]) }]
        end

        def published(outcome)
          return [] if outcome[:published].empty?
          [column(outcome, "published", 8) { |row|
            Format.published(row[:published], outcome[:unit])
          }]
        end

        private_class_method :column, :names, :across, :figures, :efficiency, :extras, :costs,
          :published
      end
    end
  end
end
