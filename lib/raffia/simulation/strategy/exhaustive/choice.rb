# frozen_string_literal: true

module Raffia
  module Simulation
    module Strategy
      class Exhaustive < Fifo
        # One value that the program or a fault drew: all of them are explored.
        # @api private
        class Choice
          attr_reader :chosen

          # @param count [Integer]
          def initialize(count)
            @count = count
            @chosen = 0
          end

          # The part that a replay compares.
          def keys = @count

          def asleep? = false

          # @return [Boolean] whether there is another value
          def advance = (@chosen += 1) < @count
        end
      end
    end
  end
end
