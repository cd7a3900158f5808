# frozen_string_literal: true

module Raffia
  module Service
    # Durations in buckets. The bounds are fixed, so histograms of workers add up.
    #
    # @api private
    class Histogram
      # Seconds of all durations.
      attr_reader :sum

      # `counts`: of each bucket; one more than there are `bounds`, which are in seconds.
      def initialize(counts, bounds, sum)
        @counts = counts
        @bounds = bounds
        @sum = sum
      end

      def count = @counts.sum

      # Yields a bound in seconds, at last infinity, and the count up to it.
      def each_bound
        total = 0
        @counts.zip(@bounds) { |count, bound| yield bound || Float::INFINITY, total += count }
      end

      # Upper bound in seconds of the bucket that holds this share, such as 0.99. Infinity beyond
      # the last bound; nil when nothing was counted.
      def quantile(share)
        rank = (count * share).ceil.clamp(1..)
        each_bound { |bound, count| return bound if count >= rank }
        nil
      end
    end
  end
end
