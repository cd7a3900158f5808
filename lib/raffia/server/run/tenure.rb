# frozen_string_literal: true

module Raffia
  class Server
    # How many requests a worker serves before another takes its place.
    #
    # @api private
    class Tenure
      # Workers that began together must not leave together: a tenth is left to chance.
      CHANCE = 10
      private_constant :CHANCE

      # @param most [Integer]
      # @yield once, after about so many
      def initialize(most, &over)
        @left = most + rand((most / CHANCE) + 1)
        @over = over
      end

      # There is one more.
      # @return [void]
      def count
        @over.call if (@left -= 1).zero?
      end
    end
  end
end
