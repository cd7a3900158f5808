# frozen_string_literal: true

require_relative "fifo"

module Raffia
  module Simulation
    module Strategy
      # Probabilistic concurrency testing (Burckhardt and others, "A randomized scheduler with
      # probabilistic guarantees of finding bugs", ASPLOS 2010): threads have random priorities, and
      # at depth - 1 random steps the running one drops below all others. A bug that needs `depth`
      # ordering constraints among n threads and k steps is found by a run with a probability of at
      # least 1 / (n * k ** (depth - 1)).
      #
      # @api private
      class PCT < Fifo
        STEPS = 64
        private_constant :STEPS

        def initialize(depth)
          @depth = depth
          super()
        end

        def start(seed, steps)
          super
          @step = 0
          @lowest = 0
          steps = STEPS if steps.zero?
          @changes = Array.new(@depth - 1) { @random.rand(steps) }
        end

        def pick(candidates, preempts)
          index = highest(candidates)
          if @changes.include?(@step)
            lower(candidates[index])
            index = highest(candidates)
          end
          @step += 1
          index
        end

        # Puts the thread below all others: it waits for another one to make progress.
        def lower(candidate) = candidate.priority = (@lowest -= 1)

        private

        # A loop without a block: it runs at each choice.
        def highest(candidates)
          best = 0
          most = priority(candidates[0])
          index = 1
          while index < candidates.size
            found = priority(candidates[index])
            best, most = index, found if found > most
            index += 1
          end
          best
        end

        def priority(candidate) = candidate.priority ||= @random.rand
      end
    end
  end
end
