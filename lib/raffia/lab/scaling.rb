# frozen_string_literal: true

require_relative "statistics"

module Raffia
  module Lab
    # Speed-up over the number of workers: a series for each variant that ran with several numbers.
    class Scaling
      ALONE = {value: 1.0, low: 1.0, high: 1.0, noise: false, single: false}.freeze

      # The baseline's figure is 1.0. Without one, a series is compared with its fewest workers.
      # cpu_bound: more workers than cores are of no use.
      def initialize(rows, metric:, baseline:, cores:, cpu_bound:)
        @rows = rows.select { |row| row[:median] }
        @metric = metric
        @baseline = baseline.to_s
        @cores = cores
        @cpu_bound = cpu_bound
      end

      # Each series: variant, ruby, control, against, points (workers, median, speedup, ideal,
      # efficiency).
      def to_a
        counted = @rows.select { |row| row[:workers] }
          .group_by { |row| row.values_at(:variant, :ruby, :control) }
        counted.select { |_, rows| rows.map { |row| row[:workers] }.uniq.size > 1 }
          .map do |(variant, ruby, control), rows|
          sorted = rows.sort_by { |row| row[:workers] }
          base = base(ruby) || sorted.first
          {variant:, ruby:, control:, against: base[:variant],
           points: sorted.map { |row| point(row, base) }}
        end
      end

      private

      def base(ruby) = @rows.find { |row| row[:variant] == @baseline && row[:ruby] == ruby }

      def point(row, base)
        speedup = row.equal?(base) ? ALONE : @metric.speedup(figures(base), figures(row)).to_h
        ideal = ideal(row[:workers]).fdiv(ideal(base[:workers] || 1))
        {workers: row[:workers], median: row[:median], speedup:, ideal:,
         efficiency: speedup[:value] && speedup[:value] / ideal}
      end

      def ideal(workers) = @cpu_bound ? [workers, @cores].min : workers

      def figures(row) = row[:runs].filter_map { |run| run[@metric.key] }
    end
  end
end
