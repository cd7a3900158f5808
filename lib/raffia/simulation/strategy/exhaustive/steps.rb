# frozen_string_literal: true

require_relative "footprint"

module Raffia
  module Simulation
    module Strategy
      class Exhaustive < Fifo
        # The steps of a run since the last decision, each with its footprint.
        # @api private
        class Steps
          # The running step: the path of its thread, and its footprint.
          attr_reader :path, :footprint

          def initialize
            @steps = []
          end

          # Begins a step, unless the thread goes on with its own. Returns whether one began.
          def enter(thread)
            return false if @current.equal?(thread)
            @current = thread
            @path = thread.path
            # Others may raise in it or kill it at each of its steps.
            @steps << [@path, @footprint = Footprint.new(reads: [[:thread, @path]])]
            true
          end

          # @return [Array<Array(String, Footprint)>] the steps since the last call
          def take
            @current = nil
            @steps.tap { @steps = [] }
          end
        end
      end
    end
  end
end
