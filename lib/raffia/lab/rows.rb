# frozen_string_literal: true

require_relative "statistics"

module Raffia
  module Lab
    # Results of one experiment: a row for each cell, compared with the baseline.
    class Rows
      # @param checks [Array<Hash{String => Boolean}>]
      # @return [Hash{String => Boolean}] a check holds when it holds everywhere
      def self.together(checks)
        checks.reduce({}) { |all, some| all.merge(some) { |_, one, other| one && other } }
      end

      # @return [Selection]
      attr_reader :selection

      # @return [Integer]
      attr_reader :cores

      # @param selection [Selection]
      # @param results [Hash{Cell => Array<Hash>}] what each finished run gave (see {Session#call})
      # @param obstacles [Hash{Symbol => String}] why variants were not run
      # @param cores [Integer]
      def initialize(selection, results, obstacles, cores)
        @selection = selection
        @results = results
        @obstacles = obstacles
        @cores = cores
      end

      # @return [Hash{Symbol => Object}] the experiment's sizes
      def params = selection.params

      # With several Rubies, what follows is about the first of them.
      #
      # @return [Float, nil] the median of a cell's figure
      def median(variant, workers)
        figures(cell(variant, workers)).then { |list| Statistics.median(list) unless list.empty? }
      end

      # @return [Float, nil] against the baseline, above 1.0 when better
      def speedup(variant, workers)
        cell(variant, workers).then { |own| compared(own, base(own)) }&.value
      end

      # @return [Float, nil] of two variants with the same, largest number of workers
      def against(variant, other)
        most = selection.cells.select { |each| each.variant == variant }.map(&:workers).max
        compared(cell(variant, most), cell(other, most))&.value
      end

      # @return [Array<Hash{Symbol => Object}>] in the order of the table
      def to_a = selection.cells.map { |each| row(each) }

      private

      def experiment = selection.experiment

      def metric = experiment.metric

      def cell(variant, workers)
        selection.cells.find { |each| each.variant == variant && each.workers == workers }
      end

      # On the same Ruby, because strategies are compared.
      def base(own)
        selection.cells.find do |each|
          each.variant == experiment.baseline && each.ruby == own&.ruby
        end
      end

      # The same work on the Ruby that was named first.
      def elder(own) = own.ruby && cell(own.variant, own.workers)

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

      # Not every block of a user's can go everywhere. An experiment of the lab's must.
      def unfit?(run) = run[:unfit] && experiment.defined_in

      def numbers(cell)
        runs = good(cell)
        return {} if runs.empty?
        ratio = compared(cell, base(cell))
        summary = Statistics.summary(figures(cell)).to_h
        ratios = {speedup: ratio&.to_h, efficiency: efficiency(cell, ratio),
                  ruby_ratio: compared(cell, elder(cell))&.to_h}
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

      # The speed-up for each core that the workers can use: 1.0 is a perfect share of the work.
      def efficiency(cell, ratio)
        return unless ratio && experiment.cpu_bound?
        ratio.value / [cell.workers, cores].min
      end

      def checks(cell) = Rows.together(good(cell).map { |run| run[:checks] })

      def published(cell)
        experiment.published.select { |figure| figure.beside?(cell.variant, cell.workers) }
          .map(&:to_h)
      end
    end
  end
end
