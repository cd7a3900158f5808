# frozen_string_literal: true

module Raffia
  module Lab
    module Report
      # Bars on a terminal: full up to the median, light up to the largest run, on one scale.
      module Bars
        FULL = "█"
        LIGHT = "░"
        # Eighths of a column, for the exact end of a bar.
        EIGHTHS = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"].freeze
        PLAIN = ["#", "-"].freeze
        SHORTEST = 10

        extend self

        # Label, bar and value of each row that has a figure. width: columns of the terminal.
        def of(outcome, width, unicode: true)
          rows = outcome[:rows].select { |row| row[:median] }
          return [] if rows.empty?
          labels = rows.map { |row| Format.label(row) }
          quantity = Columns.quantity(outcome)
          values = rows.map { |row| quantity.call(row[:median]) }
          room = [width - labels.map(&:size).max - values.map(&:size).max - 3, SHORTEST].max
          largest = rows.map { |row| row[:max] }.max
          rows.each_with_index.map do |row, index|
            [labels[index].ljust(labels.map(&:size).max),
              bar(row, room.fdiv(largest), unicode).ljust(room),
              values[index].rjust(values.map(&:size).max)]
          end
        end

        private

        def bar(row, unit, unicode)
          full = row[:median] * unit
          rest = (row[:max] * unit).round
          return PLAIN.first * full.round + PLAIN.last * [rest - full.round, 0].max unless unicode
          solid = FULL * full.floor + EIGHTHS[((full % 1) * 8).floor]
          solid + LIGHT * [rest - solid.size, 0].max
        end
      end
    end
  end
end
