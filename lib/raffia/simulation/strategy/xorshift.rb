# frozen_string_literal: true

module Raffia
  module Simulation
    module Strategy
      # Random numbers for choices: xorshift32 (Marsaglia, "Xorshift RNGs", 2003). Ruby's Random
      # takes 10 us to begin, which is a tenth of a short run.
      #
      # @api private
      class Xorshift
        MASK = 0xffff_ffff
        # Any number that is not 0.
        OFFSET = 0x9e37_79b9
        private_constant :MASK, :OFFSET

        def initialize(seed)
          @state = ((seed + (seed >> 32)) & MASK) + OFFSET & MASK
          @state = OFFSET if @state == 0
          4.times { rand(2) } # small seeds differ in few bits
        end

        # An Integer below the limit; a Float below 1 without one.
        def rand(limit = nil)
          state = @state
          state = (state ^ (state << 13)) & MASK
          state ^= state >> 17
          @state = state = (state ^ (state << 5)) & MASK
          limit ? state * limit >> 32 : state.fdiv(MASK + 1)
        end
      end
    end
  end
end
