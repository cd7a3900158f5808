# frozen_string_literal: true

require_relative "pct"
require_relative "random_walk"

module Raffia
  module Simulation
    module Strategy
      # The default of an exploration: the seed chooses a random walk or PCT for each run.
      #
      # @api private
      class Portfolio < Fifo
        def initialize(depth)
          @strategies = [RandomWalk.new, PCT.new(depth)]
          super()
        end

        def start(seed, steps)
          @current = @strategies[seed & 1]
          @current.start(seed, steps)
        end

        def pick(candidates, preempts) = @current.pick(candidates, preempts)

        def choose(count) = @current.choose(count)

        def flip(probability) = @current.flip(probability)

        def lower(candidate) = (@current.lower(candidate) if @current.respond_to?(:lower))
      end
    end
  end
end
