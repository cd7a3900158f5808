# frozen_string_literal: true

module Raffia
  module Lab
    module Report
      # The table of the best row of each experiment.
      module BestColumns
        RESULTS = {true => "right", false => "WRONG", nil => "not checked"}.freeze

        extend self

        def of(outcomes)
          rows = outcomes.map { |outcome| [outcome, best(outcome)] }
          [
            Column.of(rows, "experiment", 0) { |outcome, _| outcome[:name] },
            Column.of(rows, "result", 2) { |outcome, _| RESULTS.fetch(outcome[:check]) },
            Column.of(rows, "best", 0) { |_, row| row ? Format.label(row) : Format::NONE },
            Column.of(rows, "median", 1) { |outcome, row|
              row ? Format.figure(row[:median], outcome[:unit]) : Format::NONE
            },
            Column.of(rows, "speed-up (95% interval)", 0) { |outcome, row| speedup(outcome, row) },
            Column.of(rows, "peak PSS", 3) { |_, row| Format.bytes(row && row[:pss]) },
            Column.of(rows, "goals", 4) { |outcome, _| goals(outcome) }
          ]
        end

        # The best row that is no control; nil when the rows cannot be compared.
        def best(outcome)
          return if outcome[:baseline].empty?
          rows = outcome[:rows].select { |row| row[:median] && !row[:control] }
          outcome[:more] ? rows.max_by { |row| row[:median] } : rows.min_by { |row| row[:median] }
        end

        private

        def speedup(outcome, row)
          return Format::NONE unless row && row[:speedup]
          "#{Format.interval(row[:speedup])} vs " \
            "#{Columns.baseline(outcome)}#{", noise" if row[:speedup][:noise]}"
        end

        def goals(outcome)
          goals = outcome[:goals].reject { |goal| goal[:met].nil? }
          goals.empty? ? Format::NONE : "#{goals.count { |goal| goal[:met] }} of #{goals.size} met"
        end
      end
    end
  end
end
