# frozen_string_literal: true

require_relative "footprint"
require_relative "footprint_index"

module Raffia
  module Simulation
    module Strategy
      class Exhaustive < Fifo
        # The steps of one run in their order, with the happens-before order that their footprints
        # make.
        #
        # Two steps that depend on each other, with nothing between that orders them, could have
        # come in the other order: {#reverse} asks for a run with it. This is source-DPOR (Abdulla,
        # Aronis, Jonsson and Sagonas, "Optimal dynamic partial order reduction", POPL 2014).
        # @api private
        class Run
          # `node`: the decision that began the step; nil when there was only one thread to run.
          # `clock`: for each thread, its last step that happens before or is this one.
          Step = Struct.new(:thread, :footprint, :node, :clock)
          private_constant :Step

          def initialize
            @steps = []
          end

          # @return [Integer]
          def size = @steps.size

          def add(thread, footprint, node) = @steps << Step.new(thread, footprint, node)

          # Asks the nodes for the other order of each pair of steps that could have it.
          def reverse
            @index = FootprintIndex.new
            last = {}
            pairs = []
            @steps.each_with_index do |step, index|
              step.clock = (last[step.thread]&.clock || {}).dup
              dependent(index).reverse_each do |earlier|
                pairs << [earlier, index] unless before?(earlier, step)
                merge(step.clock, @steps[earlier].clock)
              end
              step.clock[step.thread] = index
              last[step.thread] = step
            end
            pairs.each { |first, second| ask(first, second) }
          end

          private

          # Indices of earlier steps of other threads that do not commute with this one.
          def dependent(index)
            step = @steps[index]
            found = @index.dependent(step.footprint, index)
            @index.add(step.footprint, index)
            found.reject { |at| @steps[at].thread == step.thread }
          end

          def before?(index, step) = step.clock.fetch(@steps[index].thread, -1) >= index

          def merge(clock, other)
            clock.merge!(other) { |_, a, b| (a > b) ? a : b }
          end

          # The second step comes before the first one in runs that begin, where the first one was
          # taken, with all that the second one needs.
          def ask(first, second)
            node = @steps[first].node or return
            needed = (first + 1...second).reject { |at| before?(first, @steps[at]) } << second
            node.want_one(beginnings(needed))
          end

          # Threads whose first step of these needs none of the others.
          def beginnings(steps)
            steps.reject { |at| steps.any? { |other| other < at && before?(other, @steps[at]) } }
              .map { |at| @steps[at].thread }
          end
        end
      end
    end
  end
end
