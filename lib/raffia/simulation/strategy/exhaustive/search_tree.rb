# frozen_string_literal: true

module Raffia
  module Simulation
    module Strategy
      class Exhaustive < Fifo
        # The decisions of the current run, which the next run follows up to the last one that has
        # another way: a depth-first search.
        # @api private
        class SearchTree
          def initialize
            @nodes = []
            @depth = 0
            @finished = false
          end

          # Whether no way is left.
          def finished? = @finished

          # Begins a run.
          def start = @depth = 0

          # The next decision of the run: that of the run before, or the block's new one. Nil if all
          # ways of a new one have been seen.
          def follow(keys)
            node = @nodes[@depth]
            if node
              diverged(node, keys) unless node.keys == keys
            else
              node = yield(keys)
              return if node.asleep?
              @nodes << node
            end
            @depth += 1
            node
          end

          # Goes to the next way.
          def advance
            while (node = @nodes.last)
              return if node.advance
              @nodes.pop
            end
            @finished = true
          end

          private

          def diverged(node, keys)
            raise Nondeterminism, "decision #{@depth + 1} of a run had the candidates " \
              "#{keys.inspect}, and #{node.keys.inspect} in the run before: the program does not " \
              "depend on its schedule alone"
          end
        end
      end
    end
  end
end
