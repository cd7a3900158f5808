# frozen_string_literal: true

require_relative "fifo"

module Raffia
  module Simulation
    module Strategy
      # Each candidate is equally likely. In every second run, the running thread goes on with a
      # probability of 0.8, because few bugs need many preemptions.
      #
      # @api private
      class RandomWalk < Fifo
        STAY = 0.8
        private_constant :STAY

        def start(seed, steps)
          super
          @sticky = @random.rand(2) == 1
        end

        def pick(candidates, preempts)
          return 0 if @sticky && preempts && @random.rand < STAY

          @random.rand(candidates.size)
        end
      end
    end
  end
end
