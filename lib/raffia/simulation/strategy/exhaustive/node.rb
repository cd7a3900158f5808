# frozen_string_literal: true

module Raffia
  module Simulation
    module Strategy
      class Exhaustive < Fifo
        # One decision of a run: which candidates there were, and which of them are explored.
        #
        # A candidate sleeps when what it would do here has been seen in another order already.
        # @api private
        class Node
          # Keys of the candidates, in the order in which the world offers them.
          attr_reader :keys
          # The index that the current run takes.
          attr_reader :chosen
          # Footprint of the step that the chosen candidate took.
          attr_writer :footprint

          # @param keys [Array]
          # @param sleep [Hash{Object => Footprint}]
          # @param all [Boolean] explore all candidates, not only those that are asked for
          # @param preempts [Boolean] whether candidates other than the first preempt it
          def initialize(keys, sleep: {}, all: true, preempts: false, preemptions: 0, bound: nil)
            @keys = keys
            @sleep = sleep
            @preempts = preempts
            @preemptions = preemptions
            @done = {}
            @limit = (bound && preempts && preemptions >= bound) ? 1 : keys.size
            @wanted = all ? keys.each_index.to_a : []
            @chosen = keys.index { |key| !sleep.key?(key) }
          end

          # @return [Boolean] whether all that could be done here has been seen
          def asleep? = @chosen.nil?

          def key = @keys[@chosen]

          # Preemptions in the run after this decision.
          def preemptions_after = @preemptions + ((@preempts && @chosen > 0) ? 1 : 0)

          # An order that is missing begins with any one of these candidates.
          def want_one(keys)
            indices = keys.filter_map { |key| @keys.index(key) }
            return if indices.any? { |index| index == @chosen || @wanted.include?(index) }
            @wanted << indices.first if indices.any?
          end

          # The sleep set after the chosen candidate has gone on.
          def rest = @sleep.merge(@done)

          # The current choice is explored.
          # @return [Boolean] whether there is another one
          def advance
            @done[key] = @footprint
            @wanted |= [@chosen]
            @chosen = @wanted.sort.find do |index|
              index < @limit && !@done.key?(@keys[index]) && !@sleep.key?(@keys[index])
            end
            !@chosen.nil?
          end
        end
      end
    end
  end
end
