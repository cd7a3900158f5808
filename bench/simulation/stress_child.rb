# frozen_string_literal: true

# Runs the buggy version of a model on real threads, without Raffia.
#
#     ruby bench/simulation/stress_child.rb NAME RUNS SECONDS

require "json"
require_relative "model"

module SimulationBench
  # Prints a line before each run, so that its parent knows which one hangs.
  class StressChild
    def initialize(model, output)
      @model = model
      @output = output
      @runs = @found = 0
    end

    def call(runs, seconds)
      Thread.report_on_exception = false
      ending = now + seconds
      run while @runs < runs && now < ending
      report
    end

    private

    # Ruby's deadlock detection raises a `fatal`, which is no StandardError.
    def run
      @runs += 1
      report
      @model.buggy.call(nil)
    rescue Exception # rubocop:disable Lint/RescueException
      @found += 1
      clean
    end

    # Another process goes on if a thread cannot be killed.
    def clean
      left = (Thread.list - [Thread.current]).each(&:kill)
      return if left.all? { |thread| thread.join(0.2) }

      report
      exit!
    end

    def report
      @output.puts JSON.generate(runs: @runs, found: @found)
      @output.flush
    end

    def now = Process.clock_gettime(Process::CLOCK_MONOTONIC)
  end
end

SimulationBench::StressChild.new(SimulationBench.load_models.fetch(ARGV.fetch(0)), $stdout)
  .call(Integer(ARGV.fetch(1)), Float(ARGV.fetch(2)))
