# frozen_string_literal: true

module Raffia
  module Simulation
    # A run that failed.
    class Failure
      # @return [Exception] of the program, or of the simulation
      attr_reader :error

      # @return [Integer] which run of the exploration it was, from 1
      attr_reader :run

      # @return [Integer] the seed of that run
      attr_reader :seed

      # @return [Schedule] its choices, for {Simulation.replay}
      attr_reader :schedule

      # @return [String, nil] the faults that the simulation injected
      attr_reader :faults

      # @api private
      def initialize(error:, run:, seed:, schedule:, faults: nil)
        @error = error
        @run = run
        @seed = seed
        @schedule = schedule
        @faults = faults
      end

      # @return [Integer] choices that differ from the default: switches and drawn values
      def switches = @schedule.choices.count(&:positive?)

      # @return [String]
      def message
        text = "run #{@run} failed with seed #{@seed}: #{@error.class}: #{@error.message}"
        @faults ? "#{text}\n#{@faults}" : text
      end
    end
  end
end
