# frozen_string_literal: true

require_relative "words"

module Raffia
  module Lab
    module Report
      # The columns of an experiment's table. Each knows how much it would be missed, so that a narrow terminal drops the others.
      module Columns
        # @!attribute [r] head
        #   @return [String]
        # @!attribute [r] rank
        #   @return [Integer] 0 is never dropped; the highest goes first
        # @!attribute [r] cells
        #   @return [Array<String>]
        Column = Data.define(:head, :rank, :cells)

        module_function

        # @param outcome [Hash] of {Outcome}
        # @return [Array<Column>] those that have something to say
        def of(outcome)
          unit = outcome[:unit]
          [
            column(outcome, "on", 0) { |row| Words.variant(row) },
            column(outcome, "workers", 1) { |row| row[:workers].to_s },
            column(outcome, "median", 0) { |row| row[:median] ? Words.figure(row[:median], unit) : row[:status] },
            column(outcome, "spread", 1) { |row| Words.spread(row) },
            column(outcome, "min - max", 7) { |row| Words.range(row, unit) },
            column(outcome, "vs #{baseline(outcome)}", 0) { |row| Words.speedup(row, outcome[:baseline]) },
            *efficiency(outcome),
            *extras(outcome),
            column(outcome, "CPU", 5) { |row| Words.seconds(row[:cpu]) },
            column(outcome, "peak PSS", 2) { |row| Words.bytes(row[:pss]) },
            *published(outcome)
          ].reject { |column| column.cells.all?(&:empty?) }
        end

        # @return [String]
        def baseline(outcome) = Words::NAMES.fetch(outcome[:baseline], outcome[:baseline])

        def column(outcome, head, rank, &cell) = Column.new(head:, rank:, cells: outcome[:rows].map(&cell))

        def efficiency(outcome)
          return [] unless outcome[:cpu_bound]
          [column(outcome, "per core", 3) { |row| Words.percent(row[:efficiency]) }]
        end

        def extras(outcome)
          outcome[:extras].map do |extra|
            column(outcome, extra[:label], 4) { |row| Words.extra(row.dig(:extras, extra[:key].to_sym), extra[:format]) }
          end
        end

        def published(outcome)
          return [] if outcome[:published].empty?
          [column(outcome, "published", 6) { |row| Words.published(row[:published], outcome[:unit]) }]
        end

        private_class_method :column, :efficiency, :extras, :published
      end
    end
  end
end
