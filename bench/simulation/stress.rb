# frozen_string_literal: true

require_relative "child"

module SimulationBench
  # Plain stress of a model's buggy version: real threads, again and again. A run that hangs is a
  # strike too: the process is killed, and another one goes on with the rest.
  class Stress
    # Seconds without a run after which a process hangs.
    SILENCE = 2

    # CRuby switches threads after 100 ms, longer than a whole run takes. From 3.4 on this is the
    # shortest slice, in milliseconds; 3.3 ignores it.
    ENVIRONMENT = {"RUBY_THREAD_TIMESLICE" => "1"}.freeze

    # @!attribute runs
    #   @return [Integer] fewer than asked for when the time was over
    # @!attribute found
    #   @return [Integer] how many of them failed or hung
    Result = Data.define(:runs, :found)

    # @param limit [Numeric] seconds
    def initialize(model, runs:, limit: 60)
      @model = model
      @runs = runs
      @limit = limit
    end

    # @return [Result]
    def call
      ending = now + @limit
      result = Result.new(runs: 0, found: 0)
      result = add(result, ending - now) while result.runs < @runs && now < ending
      result
    end

    private

    def add(result, seconds)
      child = Child.run("stress_child.rb", @model.name, @runs - result.runs, seconds,
        silence: SILENCE, env: ENVIRONMENT)
      Result.new(runs: result.runs + child.data.fetch(:runs),
        found: result.found + child.data.fetch(:found) + (child.hung ? 1 : 0))
    end

    def now = Process.clock_gettime(Process::CLOCK_MONOTONIC)
  end
end
