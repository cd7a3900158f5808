# frozen_string_literal: true

require "raffia/lab/statistics"

module Bench
  # Summary of the samples of a campaign. It is made from the JSON file, so a report can be written
  # again later.
  class Summary
    # One target at one workload.
    class Cell
      def initialize(samples)
        @timed, @counted = samples.reject { |sample| sample[:error] }
          .partition { |sample| !sample[:counted] }
        @errors = samples.filter_map { |sample| sample[:error] }
      end

      attr_reader :errors

      def any? = !@timed.empty?

      # @return [Array<Float>] of the runs that were timed
      def values(name) = @timed.filter_map { |sample| sample[name] }

      def median(name)
        Raffia::Lab::Statistics.median(values(name)) unless values(name).empty?
      end

      def range = values(:cpu_us).minmax

      def syscalls = @counted.first&.fetch(:syscalls, nil)
    end

    # Two medians that are nearer than this are not told apart, whatever the interval says: the
    # machine's own drift is larger.
    DRIFT = 0.03

    def initialize(suite, data)
      @suite = suite
      @data = data
      @cells = data[:results].to_h do |result|
        [[result[:workload], result[:target]], Cell.new(result[:samples])]
      end
    end

    attr_reader :suite, :data

    def plans
      @suite.plans.values.select { |plan| @cells.any? { |(workload, _), _| workload == plan.name } }
    end

    def targets
      @suite.targets.values.select { |target| @cells.any? { |(_, name), _| name == target.name } }
    end

    # @return [Cell, nil]
    def cell(plan, target) = @cells[[plan.name, target.name]]

    # @return [Target, nil] the Ruby target that is not ours, has the right results each time, and
    #   takes the least CPU time
    def best_rival(plan, group = nil)
      targets.select { |target|
        target.rival? && (group.nil? || target.group == group) &&
          right?(plan, target)
      }.min_by { |target| cpu(plan, target) }
    end

    # @return [Target, nil]
    def best_ours(plan, group = nil)
      targets.select { |target|
        target.ours? && (group.nil? || target.group == group) &&
          right?(plan, target)
      }.min_by { |target| cpu(plan, target) }
    end

    # @return [Array<Symbol, nil>] those in which there is a rival; one nil where the suite has none
    def groups = targets.select(&:rival?).map(&:group).uniq

    # @return [Raffia::Lab::Statistics::Ratio, nil] the rival's CPU time / this target's: above 1 it
    #   is ahead of the best rival
    def ahead(plan, target)
      rival = best_rival(plan, target.group) or return
      return unless cell(plan, target)&.any?

      ratio = Raffia::Lab::Statistics.ratio(cell(plan, rival).values(:cpu_us),
        cell(plan, target).values(:cpu_us))
      ((ratio.value - 1).abs < DRIFT) ? ratio.with(noise: true) : ratio
    end

    # @return [Boolean] whether one of our own runs failed
    def ours_failed?
      @cells.any? { |(_, name), cell| @suite.targets.fetch(name).ours? && !cell.errors.empty? }
    end

    private

    def cpu(plan, target) = cell(plan, target).median(:cpu_us)

    def right?(plan, target) = (cell = cell(plan, target)) && cell.any? && cell.errors.empty?
  end
end
