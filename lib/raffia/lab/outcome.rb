# frozen_string_literal: true

require_relative "rows"
require_relative "scaling"

module Raffia
  module Lab
    # Result of one experiment as plain data, for the reports on the terminal, in JSON and in HTML.
    module Outcome
      extend self

      def of(rows, finished:)
        experiment = rows.selection.experiment
        list = rows.to_a
        {name: experiment.name, title: experiment.title, size: experiment.size(rows.params),
         params: rows.params, scale: rows.selection.scale, asked: rows.selection.runs, finished:,
         metric: experiment.metric.key, unit: experiment.metric.unit,
         more: experiment.metric.more, baseline: experiment.baseline.to_s,
         cpu_bound: experiment.cpu_bound?, file: experiment.defined_in,
         scaling: scaling(experiment, list, rows.cores), extras: experiment.extras.map(&:to_h),
         check: check(list), checks: checks(list), rows: list,
         goals: experiment.goals(rows).map(&:to_h), published: experiment.published.map(&:to_h),
         notes: [*experiment.notes(rows.params), *experiment.remarks(list)]}
      end

      private

      def scaling(experiment, list, cores)
        Scaling.new(list, metric: experiment.metric, baseline: experiment.baseline, cores:,
          cpu_bound: experiment.cpu_bound?).to_a
      end

      # Whether all results were right; nil when nothing was checked.
      def check(rows)
        return false if rows.any? { |row| row[:status] == "failed" && !row[:control] }
        verdicts = checks(rows).values
        verdicts.all? unless verdicts.empty?
      end

      # Each check in words, and whether it holds in all rows.
      def checks(rows) = Rows.together(rows.map { |row| row[:checks] })
    end
  end
end
