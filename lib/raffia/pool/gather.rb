# frozen_string_literal: true

require_relative "work"

module Raffia
  class Pool
    # Puts the chunks' results together into the value of the call. Each class gets one chunk at a
    # time, in the order in which they were finished; +add+ says whether that was enough.
    #
    # @api private
    module Gather
      class OrderedResults
        def initialize = @values = []

        def add(chunk, values)
          @values[chunk.first, chunk.size] = values
          false
        end

        def value = @values
      end

      class UnorderedResults
        def initialize = @values = []

        def add(_chunk, values)
          @values.concat(values)
          false
        end

        def value = @values
      end

      # Results that are neither nil nor false, as either of the above.
      class TruthyResults
        def initialize(all) = @all = all
        def add(chunk, values) = @all.add(chunk, values)
        def value = @all.value.select { |value| value } # it may be a BasicObject
      end

      # The input itself, as Enumerable#each returns it.
      class NoResults
        def initialize(items) = @items = items
        def add(_chunk, _none) = false
        def value = @items
      end

      # The first item, in time, for which the block was true.
      class FirstResult
        def initialize = @value = nil

        def add(chunk, position)
          return false unless position

          @value = chunk.at(chunk.first + position)
          true
        end

        attr_reader :value
      end

      # Folds the chunks' values in the order of the items.
      class Fold
        def initialize(initial, combine, seeded:)
          @initial = initial
          @combine = combine
          @seeded = seeded
          @parts = []
        end

        def add(chunk, memo)
          @parts << [chunk.first, memo]
          false
        end

        def value
          parts = @parts.sort_by!(&:first).map!(&:last)
          in_parts = @seeded && !parts.empty?
          parts.unshift(@initial) if !in_parts && !Work::NOTHING.equal?(@initial)
          parts.reduce { |memo, part| @combine.call(memo, part) }
        end
      end
    end
  end
end
