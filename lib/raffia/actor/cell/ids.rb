# frozen_string_literal: true

module Raffia
  class Actor
    class Cell
      # Numbers for actors, in the order of their births.
      #
      # @api private
      class Ids
        def initialize
          @guard = SpinLock.new
          @last = 0
        end

        # @return [Integer]
        def next = @guard.hold { @last += 1 }
      end
    end
  end
end
