# frozen_string_literal: true

require_relative "child"

module SimulationBench
  # Exploration of a model under simulation: it looks for the bug with several seeds, then runs the
  # fixed version many times.
  class Search
    # Seconds without a line after which the simulation itself hangs.
    SILENCE = 120

    # @!attribute found
    #   @return [Array<Integer>] schedules to the failure, for each seed that found it
    # @!attribute switches
    #   @return [Array<Integer>] preemptions of the shrunk schedules, for the first seeds
    # @!attribute errors
    #   @return [Array<String>] what the simulation reported, without repetitions
    # @!attribute fixed_runs
    #   @return [Integer]
    # @!attribute fixed_error
    #   @return [String, nil] failure of the fixed version
    # @!attribute rate
    #   @return [Float] schedules of the fixed version in a second of CPU time
    # @!attribute hung
    #   @return [Boolean]
    Result = Data.define(:found, :switches, :errors, :fixed_runs, :fixed_error, :rate, :hung)

    # @param seeds [Integer] how many
    # @param runs [Integer] schedules for each
    # @param fixed [Integer] schedules of the fixed version
    # @param strategy [Symbol]
    def initialize(model, seeds:, runs:, fixed:, strategy:)
      @model = model
      @arguments = [seeds, runs, fixed, strategy]
    end

    # @return [Result]
    def call
      child = Child.run("search_child.rb", @model.name, *@arguments, silence: SILENCE)
      empty = {found: [], switches: [], errors: [], fixed_runs: 0, fixed_error: nil, rate: 0.0}
      Result.new(**empty, **child.data, hung: child.hung)
    end
  end
end
