# frozen_string_literal: true

require_relative "statistics"

module Raffia
  module Lab
    # Results of one experiment: a row for each cell, compared with the baseline. With several
    # Rubies, {#median}, {#speedup} and {#against} are about the first of them.
    class Rows
      # A check holds when it holds everywhere.
      def self.together(checks)
        checks.reduce({}) { |all, some| all.merge(some) { |_, one, other| one && other } }
      end

      attr_reader :selection

      attr_reader :cores

      # results: values of {Session#call} by cell. obstacles: why variants were not run.
      def initialize(selection, results, obstacles, cores)
        @selection = selection
        @results = results
        @obstacles = obstacles
        @cores = cores
      end

      def params = selection.params

      # The median of a cell's figure, nil without one.
      def median(variant, workers)
        figures(cell(variant, workers)).then { |list| Statistics.median(list) unless list.empty? }
      end

      # Speed-up to the baseline, above 1.0 when better; nil without figures.
      def speedup(variant, workers)
        cell(variant, workers).then { |own| compared(own, base(own)) }&.value
      end

      # Speed-up of a variant to another one, both with the variant's largest number of workers.
      def against(variant, other)
        most = selection.cells.select { |each| each.variant == variant }.map(&:workers).max
        compared(cell(variant, most), cell(other, most))&.value
      end

      def to_a = selection.cells.map { |each| row(each) }

      private

      def experiment = selection.experiment

      def metric = experiment.metric

      def cell(variant, workers)
        selection.cells.find { |each| each.variant == variant && each.workers == workers }
      end

      # The baseline on the same Ruby, because strategies are compared.
      def base(own)
        selection.cells.find do |each|
          each.variant == experiment.baseline && each.ruby == own&.ruby
        end
      end

      # The same work on the Ruby that was named first.
      def on_first_ruby(own) = own.ruby && cell(own.variant, own.workers)

      def good(cell) = @results.fetch(cell, []).reject { |run| run[:error] }

      def figures(cell) = good(cell).map { |run| run.fetch(metric.key) }

      def compared(own, other)
        metric.speedup(figures(other), figures(own)) if own && other && own != other
      end

      def row(cell)
        {variant: cell.variant.to_s, ruby: cell.ruby&.label,
         workers: (cell.workers if experiment.workers?(cell.variant) || cell.variant == :inline),
         control: experiment.controls.key?(cell.variant), **state(cell), **numbers(cell),
         checks: checks(cell), published: published(cell), runs: @results.fetch(cell, [])}
      end

      def state(cell)
        runs = @results.fetch(cell, [])
        failed = runs.find { |run| run[:error] }
        return {status: unfit?(failed) ? "skipped" : "failed", reason: failed[:error]} if failed
        if @obstacles.key?(cell.variant)
          return {status: "skipped", reason: @obstacles[cell.variant]}
        end
        {status: runs.empty? ? "not run" : "ok", reason: nil}
      end

      # A user's block need not run everywhere. An experiment of the lab must.
      def unfit?(run) = run[:unfit] && experiment.defined_in

      def numbers(cell)
        runs = good(cell)
        return {} if runs.empty?
        ratio = compared(cell, base(cell))
        summary = Statistics.summary(figures(cell)).to_h
        ratios = {speedup: ratio&.to_h, efficiency: efficiency(cell, ratio),
                  ruby_ratio: compared(cell, on_first_ruby(cell))&.to_h}
        costs = {cpu: middle(runs, :cpu), pss: runs.filter_map { |run| run[:pss] }.max,
                 **counted(runs)}
        {**summary, **ratios, **costs,
          extras: experiment.extras.to_h { |extra| [extra.key, middle(runs, extra.key)] }}
      end

      def middle(runs, key)
        runs.filter_map { |run| run[key] }
          .then { |list| Statistics.median(list) unless list.empty? }
      end

      def counted(runs)
        runs = runs.select { |run| run[:cycles]&.positive? && run[:instructions] }
        return {cycles: nil, ipc: nil} if runs.empty?
        {cycles: middle(runs, :cycles),
         ipc: Statistics.median(runs.map { |run| run[:instructions].fdiv(run[:cycles]) })}
      end

      # Speed-up for each core that the workers can use: 1.0 is perfect.
      def efficiency(cell, ratio)
        return unless ratio && experiment.cpu_bound?
        ratio.value / [cell.workers, cores].min
      end

      def checks(cell) = Rows.together(good(cell).map { |run| run[:checks] })

      def published(cell)
        experiment.published.select { |figure| figure.matches?(cell.variant, cell.workers) }
          .map(&:to_h)
      end
    end
  end
end
