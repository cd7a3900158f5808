# frozen_string_literal: true

require_relative "xorshift"

module Raffia
  module Simulation
    module Strategy
      # Takes the default of every choice: no thread is preempted, and the thread that has been
      # ready for longest runs next.
      #
      # @api private
      class Fifo
        # +seed+ of the run; +steps+: choices of the longest run before, 0 for none.
        def start(seed, _steps) = @random = Xorshift.new(seed)

        # The index of the candidate. +preempts+: the first one is the running thread.
        def pick(_candidates, _preempts) = 0

        # One of `count` equal values.
        def choose(count) = @random.rand(count)

        # Whether something of this probability happens.
        def flip(probability) = @random.rand < probability

        # Whether another run could show anything else.
        def finished? = false

        # Whether all orders of the program were taken.
        def exhausted? = false

        # Whether all runs of an exploration draw the same random numbers.
        def one_seed? = false

        # The exploration is over.
        def close = nil
      end
    end
  end
end
