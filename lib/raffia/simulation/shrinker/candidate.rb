# frozen_string_literal: true

module Raffia
  module Simulation
    class Shrinker
      # A run that shrinking may take, and how simple it is.
      #
      # @api private
      class Candidate
        # `deviations`: choices that are not 0, by index.
        attr_reader :run, :deviations

        def initialize(run)
          @run = run
          @deviations = run.choices.each_with_index.filter_map { |choice, index|
            [index, choice] if choice.positive?
          }.to_h
        end

        def error = @run.error

        def indexes = @deviations.keys

        def preemptions = @run.preemptions.size

        def simpler?(other) = (cost <=> other.cost).negative?

        def cost
          @cost ||= [preemptions, @deviations.size, @deviations.values.sum, @run.choices.size]
        end
      end
    end
  end
end
