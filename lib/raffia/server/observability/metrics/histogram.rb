# frozen_string_literal: true

require_relative "layout"

module Raffia
  class Server
    module Observability
      module Metrics
        # Durations in buckets. The bounds are fixed, so histograms of workers add up.
        #
        # @api private
        class Histogram
          # @param numbers [Array<Integer>] the buckets, and the sum in microseconds
          def initialize(numbers)
            *@buckets, @sum = numbers
          end

          # @return [Integer]
          def count = @buckets.sum

          # @return [Float] seconds
          def sum = @sum / 1e6

          # @yieldparam bound [Float] seconds; infinity at last
          # @yieldparam count [Integer] how many were not longer
          def each_bound
            total = 0
            @buckets.zip(Native::SharedCounters::BOUNDS) do |number, bound|
              yield (bound ? bound / 1e6 : Float::INFINITY), total += number
            end
          end

          # The upper bound of the bucket that holds the one at this rank, so never less than it
          # was.
          # @param share [Float] such as 0.99
          # @return [Float, nil] seconds; infinity behind the last bound; nil when nothing was
          #   counted
          def quantile(share)
            rank = (count * share).ceil.clamp(1..)
            each_bound { |bound, number| return bound if number >= rank }
            nil
          end
        end
      end
    end
  end
end
