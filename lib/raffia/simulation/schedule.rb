# frozen_string_literal: true

module Raffia
  module Simulation
    # The choices of a run, so that it can be run again.
    class Schedule
      # @return [Integer] seed of the run
      attr_reader :seed

      # @return [Array<Integer>] the index of each choice; 0 is the default
      attr_reader :choices

      # @return [Array<Integer>] 16 bits for each choice that describe it
      attr_reader :prints

      # @api private
      def initialize(seed:, choices:, prints: nil)
        @seed = seed
        @choices = choices.freeze
        @prints = prints.freeze
      end
    end
  end
end
