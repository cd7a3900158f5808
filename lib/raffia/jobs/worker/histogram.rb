# frozen_string_literal: true

module Raffia
  module Jobs
    class Worker
      # Counts values by buckets. A value often falls into the bucket of the one before it, which
      # is looked at first: each job adds one.
      # @api private
      class Histogram
        # `bounds`: upper ends of the buckets; the last bucket has none.
        def initialize(bounds)
          @bounds = bounds
          @counts = Array.new(bounds.size + 1, 0)
          @sum = 0.0
          @index = nil
          @low = @high = 0.0
        end

        def add(value)
          find(value) unless value > @low && value <= @high
          @counts[@index] += 1
          @sum += value
        end

        # Counts of the buckets, and the sum of the values.
        def to_a = [*@counts, @sum]

        private

        def find(value)
          @index = @bounds.bsearch_index { |bound| value <= bound } || @bounds.size
          @low = @index.zero? ? -Float::INFINITY : @bounds[@index - 1]
          @high = @bounds[@index] || Float::INFINITY
        end
      end
    end
  end
end
