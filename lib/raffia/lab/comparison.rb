# frozen_string_literal: true

require_relative "comparison/differences"
require_relative "statistics"

module Raffia
  module Lab
    # Compares two results of the same experiments: better, worse, or not known from these runs.
    #
    # A row's +ratio+ is that of its main figure, above 1.0 when the later result is better. Its
    # verdict:
    #
    # * better, worse: 1.0 lies outside of the ratio's 95% interval, and the change is larger than
    #   the tolerance
    # * same: it lies outside, but the change is not larger than that
    # * noise: 1.0 lies within, or there are fewer than {FEWEST} runs on either side
    # * gone, new: the row has figures on one side only
    # * other size: the work is not the same, so nothing is compared
    class Comparison
      # With two runs on each side, one pair is above the other by mere chance in a third of cases.
      FEWEST = 3

      # before, after: data of {Report::Document}. tolerance: the share by which a row may change
      # and still be the same.
      def initialize(before, after, tolerance: 0.0)
        @before = before
        @after = after
        @tolerance = tolerance
      end

      def to_h
        list = experiments
        {before: source(@before), after: source(@after), tolerance: @tolerance,
         warnings: Differences.of(@before, @after),
         verdicts: list.flat_map { |each| each[:rows] }.map { |row| row[:verdict] }.tally,
         experiments: list}
      end

      private

      def source(data)
        {started_at: data[:started_at], command: data[:command],
         ruby: data.dig(:environment, :ruby), commit: data.dig(:environment, :commit)}
      end

      # Experiments that both results have, in the order of the later one.
      def experiments
        @after[:experiments].filter_map do |after|
          before = @before[:experiments].find { |each| each[:name] == after[:name] } or next
          {name: after[:name], unit: after[:unit], more: after[:more], rows: rows(before, after)}
        end
      end

      def rows(before, after)
        old = before[:rows].to_h { |row| [key(row), row] }
        new = after[:rows].to_h { |row| [key(row), row] }
        (new.keys | old.keys).map do |key|
          row(key, old[key], new[key], after, same_size: before[:params] == after[:params])
        end
      end

      def key(row) = {variant: row[:variant].to_s, workers: row[:workers], ruby: row[:ruby]}

      def row(key, old, new, outcome, same_size:)
        figures = [old, new].map { |row| row && row[:median] }
        known = {**key, control: (new || old)[:control], before: figures.first, after: figures.last}
        return {**known, verdict: "other size"} unless same_size
        return {**known, verdict: missing(*figures)} unless figures.all?
        ratio = ratio(old, new, outcome[:metric].to_sym, outcome[:more])
        costs = %i[cpu pss].to_h { |cost| [cost, ratio(old, new, cost, false)&.to_h] }
        {**known, runs: [old, new].map { |row| row[:count] }, ratio: ratio&.to_h,
                  verdict: verdict(ratio, old, new), **costs}
      end

      def missing(before, after)
        return "not run" unless before || after
        after ? "new" : "gone"
      end

      def ratio(old, new, key, more)
        lists = [new, old].map do |row|
          row[:runs].reject { |run| run[:error] }.filter_map { |run| run[key] }
        end
        Statistics.ratio(*(more ? lists : lists.reverse))
      end

      def verdict(ratio, old, new)
        if ratio.nil? || ratio.noise || [old, new].any? { |row| row[:count] < FEWEST }
          return "noise"
        end
        return "same" if (ratio.value - 1).abs <= @tolerance
        (ratio.value > 1) ? "better" : "worse"
      end
    end
  end
end
