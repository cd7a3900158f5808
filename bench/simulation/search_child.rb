# frozen_string_literal: true

# Explores one model.
#
#     ruby -Ilib bench/simulation/search_child.rb NAME SEEDS RUNS FIXED STRATEGY

require "json"
require "raffia"
require "raffia/simulation"
require_relative "model"

module SimulationBench
  # Prints a line after each step.
  class SearchChild
    # Schedules of the fixed version in a step.
    STEP = 10_000

    # Seeds whose schedule is shrunk: that takes longer than the search.
    SHRUNK = 3

    def initialize(model, strategy, output)
      @model = model
      @strategy = strategy
      @output = output
      @data = {found: [], switches: [], errors: [], fixed_runs: 0, fixed_error: nil, rate: 0.0}
      @seconds = 0.0
    end

    def call(seeds, runs, fixed)
      report
      seeds.times { |seed| find(seed + 1, runs) }
      fixed.times.each_slice(STEP).with_index do |step, index|
        @data[:fixed_error] || run_fixed(index + 1, step.size)
      end
    end

    private

    def find(seed, runs)
      failure = explore(@model.buggy, seed, runs, shrink: seed <= SHRUNK).failure
      add(failure, seed) if failure
      report
    end

    # A bug that the simulation cannot run is not found.
    def add(failure, seed)
      @data[:errors] |= [describe(failure.error)]
      return if failure.error.is_a?(Raffia::Simulation::NotSimulated)

      @data[:found] << failure.run
      @data[:switches] << failure.switches if seed <= SHRUNK
    end

    def run_fixed(seed, runs)
      before = cpu
      result = explore(@model.fixed, seed, runs)
      @seconds += cpu - before
      @data[:fixed_runs] += result.runs
      @data[:fixed_error] = result.failure && describe(result.failure.error)
      @data[:rate] = @data[:fixed_runs] / @seconds
      report
    end

    def explore(block, seed, runs, shrink: false)
      options = {runs:, seed:, shrink:, strategy: @strategy, **@model.options}
      Raffia::Simulation.explore(**options) { |sim| block.call(sim) }
    end

    def cpu = Process.clock_gettime(Process::CLOCK_PROCESS_CPUTIME_ID)

    def describe(error) = "#{error.class}: #{error.message.lines.first&.strip}"

    def report
      @output.puts JSON.generate(@data)
      @output.flush
    end
  end
end

name, seeds, runs, fixed, strategy = ARGV
SimulationBench::SearchChild
  .new(SimulationBench.load_models.fetch(name), strategy.to_sym, $stdout)
  .call(Integer(seeds), Integer(runs), Integer(fixed))
