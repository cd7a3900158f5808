# frozen_string_literal: true

module Raffia
  module Lab
    module Report
      # The table of every run behind the charts and medians.
      module RunColumns
        extend self

        # No columns when nothing was run.
        def of(outcome)
          runs = runs(outcome)
          return [] if runs.empty?
          [*names(runs), *figures(runs, outcome), *extras(runs, outcome),
            Column.of(runs, "result", 0) { |run| result(run) }]
            .reject { |column| column.rank.positive? && column.empty? }
        end

        private

        def runs(outcome)
          outcome[:rows].flat_map do |row|
            row[:runs].each_with_index.map { |run, index| {**run, row:, number: index + 1} }
          end
        end

        def names(runs)
          [Column.of(runs, "on", 0) { |run| Format.label(run[:row]) },
            Column.of(runs, "run", 0) { |run| run[:number].to_s }]
        end

        def figures(runs, outcome)
          main = outcome[:metric].to_sym
          {main => outcome[:unit], :seconds => "s", :cpu => "s", :pss => "bytes"}.map do |key, unit|
            quantity = Quantity.of(unit, runs.map { |run| run[key] })
            Column.of(runs, HEADS.fetch(key, key.to_s), 1) { |run| quantity.call(run[key]) }
          end
        end

        def extras(runs, outcome)
          counts = %i[cycles instructions].map do |key|
            Column.of(runs, key.to_s, 1) { |run| Format.count(run[key]) }
          end
          own = outcome[:extras].map do |extra|
            Column.of(runs, extra[:label], 1) do |run|
              Format.extra(run[extra[:key].to_sym], extra[:format])
            end
          end
          counts_of = %i[processes threads].map do |key|
            Column.of(runs, HEADS.fetch(key), 1) { |run| run[key].to_s }
          end
          (counts + own + counts_of).uniq(&:head)
        end

        def result(run) = run[:error] || (run[:checks].values.all? ? "right" : "WRONG")

        HEADS = {seconds: "wall-clock", cpu: "CPU", pss: "peak PSS", processes: "processes",
                 threads: "threads"}.freeze
        private_constant :HEADS
        private_class_method :runs, :names, :figures, :extras, :result
      end
    end
  end
end
