# frozen_string_literal: true

module Raffia
  module Lab
    # Statistics of benchmarks: the median, the spread of the runs, and whether a difference is
    # larger than that.
    module Statistics
      LEVEL = 0.95
      DRAWS = 1_000
      # The resampling is seeded, so that the same runs always give the same report.
      SEED = 20_261_121

      # Summary of runs. cv: coefficient of variation (standard deviation / mean), nil for a single
      # run. low, high: bootstrap interval of the median.
      Summary = Data.define(:count, :median, :min, :max, :cv, :low, :high)

      # Median / median of two lists of runs. noise: 1.0 lies within the interval, so the runs do
      # not tell the two apart. single: one side has a single run, and no spread to judge by.
      Ratio = Data.define(:value, :low, :high, :noise, :single)

      extend self

      # All functions take at least one value.
      def median(values)
        sorted = values.sort
        middle = sorted.size / 2
        sorted.size.odd? ? sorted[middle].to_f : (sorted[middle - 1] + sorted[middle]) / 2.0
      end

      # The value that this share (0.0 to 1.0) of them does not exceed.
      def percentile(values, share) = values.sort[((values.size - 1) * share).round]

      # nil when there are fewer than two values, or their mean is 0.
      def cv(values)
        return if values.size < 2
        mean = values.sum.fdiv(values.size)
        return if mean.zero?
        Math.sqrt(values.sum { |value| (value - mean)**2 } / (values.size - 1)) / mean
      end

      def summary(values)
        random = Random.new(SEED)
        low, high = percentiles(Array.new(DRAWS) { median(draw(values, random)) })
        Summary.new(count: values.size, median: median(values), min: values.min.to_f,
          max: values.max.to_f,
          cv: cv(values), low:, high:)
      end

      # Median of the first list / median of the second, nil when that is impossible.
      def ratio(above, below)
        return if above.empty? || below.empty? || below.any?(&:zero?)
        random = Random.new(SEED)
        draws = Array.new(DRAWS) { median(draw(above, random)) / median(draw(below, random)) }
        low, high = percentiles(draws)
        single = above.size < 2 || below.size < 2
        Ratio.new(value: median(above) / median(below), low:, high:,
          noise: single || 1.0.between?(low, high), single:)
      end

      private

      def draw(values, random) = Array.new(values.size) { values[random.rand(values.size)] }

      def percentiles(draws)
        sorted = draws.sort
        tail = (1.0 - LEVEL) / 2
        [sorted[(tail * (sorted.size - 1)).floor], sorted[((1.0 - tail) * (sorted.size - 1)).ceil]]
      end
    end
  end
end
