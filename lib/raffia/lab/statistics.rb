# frozen_string_literal: true

module Raffia
  module Lab
    # Statistics of benchmarks: a median instead of a best run, the spread of the runs, and whether
    # a difference is larger than that.
    module Statistics
      LEVEL = 0.95
      DRAWS = 1_000
      # The resampling draws from a seeded generator, so that the same runs always give the same
      # report.
      SEED = 20_261_121

      # Summary of a list of runs.
      #
      # @!attribute [r] cv
      #   @return [Float, nil] coefficient of variation (standard deviation / mean); nil with a
      #   single run
      # @!attribute [r] low
      #   @return [Float] lower end of the bootstrap interval of the median
      # @!attribute [r] high
      #   @return [Float] upper end of it
      Summary = Data.define(:count, :median, :min, :max, :cv, :low, :high)

      # How one list of runs compares with another, as median / median.
      #
      # @!attribute [r] noise
      #   @return [Boolean] true when 1.0 lies within the interval: the runs do not tell the two
      #   apart
      #
      # @!attribute [r] single
      #   @return [Boolean] true when one side has a single run, so that there is no spread to judge
      #   by
      Ratio = Data.define(:value, :low, :high, :noise, :single)

      module_function

      # @param values [Array<Numeric>] at least one
      # @return [Float]
      def median(values)
        sorted = values.sort
        middle = sorted.size / 2
        sorted.size.odd? ? sorted[middle].to_f : (sorted[middle - 1] + sorted[middle]) / 2.0
      end

      # @param values [Array<Numeric>] at least one
      # @param share [Float] 0.0 to 1.0
      # @return [Numeric] the value that this share of them does not exceed
      def percentile(values, share) = values.sort[((values.size - 1) * share).round]

      # @param values [Array<Numeric>]
      # @return [Float, nil] nil when there are fewer than two values, or their mean is 0
      def cv(values)
        return if values.size < 2
        mean = values.sum.fdiv(values.size)
        return if mean.zero?
        Math.sqrt(values.sum { |value| (value - mean)**2 } / (values.size - 1)) / mean
      end

      # @param values [Array<Numeric>] at least one
      # @return [Summary]
      def summary(values)
        random = Random.new(SEED)
        low, high = percentiles(Array.new(DRAWS) { median(draw(values, random)) })
        Summary.new(count: values.size, median: median(values), min: values.min.to_f,
          max: values.max.to_f,
          cv: cv(values), low:, high:)
      end

      # @param above [Array<Numeric>] the runs whose median is divided
      # @param below [Array<Numeric>] the runs whose median it is divided by
      # @return [Ratio, nil] nil when there is nothing to divide by
      def ratio(above, below)
        return if above.empty? || below.empty? || below.any?(&:zero?)
        random = Random.new(SEED)
        draws = Array.new(DRAWS) { median(draw(above, random)) / median(draw(below, random)) }
        low, high = percentiles(draws)
        single = above.size < 2 || below.size < 2
        Ratio.new(value: median(above) / median(below), low:, high:, noise: single ||
          1.0.between?(low, high), single:)
      end

      def draw(values, random) = Array.new(values.size) { values[random.rand(values.size)] }

      def percentiles(draws)
        sorted = draws.sort
        tail = (1.0 - LEVEL) / 2
        [sorted[(tail * (sorted.size - 1)).floor], sorted[((1.0 - tail) * (sorted.size - 1)).ceil]]
      end

      private_class_method :draw, :percentiles
    end
  end
end
