# frozen_string_literal: true

require_relative "failure/identity"
require_relative "failure/instructions"
require_relative "timeline"
require_relative "timeline/page"

module Raffia
  module Simulation
    # A run that failed.
    class Failure
      # @return [Exception] of the program, or of the simulation
      attr_reader :error

      # @return [Integer] which run of the exploration it was, from 1; 0: a schedule of the corpus
      attr_reader :run

      # @return [Integer] the seed of that run
      attr_reader :seed

      # @return [Integer, nil] the seed of the exploration, for RAFFIA_SEED; nil: a schedule was run
      attr_reader :exploration_seed

      # @return [Schedule] its choices, shrunk if the exploration shrinks, for {Simulation.replay}
      attr_reader :schedule

      # @return [String, nil] the faults that the simulation injected
      attr_reader :faults

      # @return [Schedule] its choices as they were found
      attr_reader :original

      # @return [Integer] preemptions of {#schedule}: switches from a thread that could go on
      attr_reader :switches

      # @return [Integer] runs that shrinking took
      attr_reader :shrink_runs

      # @return [Trace, nil] events of the run with {#schedule}; nil: it was not run again
      # @api private
      attr_reader :trace

      # @api private
      def initialize(error:, run:, seed:, schedule:, preemptions:, original: schedule,
        shrink_runs: 0, trace: nil, exploration_seed: nil, faults: nil, command: nil)
        @error = error
        @run = run
        @seed = seed
        @schedule = schedule
        @faults = faults
        @switches = preemptions
        @original = original
        @shrink_runs = shrink_runs
        @trace = trace
        @exploration_seed = exploration_seed
        @command = command
      end

      # @return [String] the error, the timeline, and how to run it again
      def message = [summary, faults.to_s, timeline, *instructions].reject(&:empty?).join("\n\n")

      # @return [String] run, seed and error
      def summary = "#{title}: #{@error.class}: #{@error.message}"

      # @return [String] the number of the run, and the seed of the exploration
      # @api private
      def title = "run #{@run} failed with seed #{@exploration_seed || @seed}"

      # @param width [Integer] columns
      # @param color [Boolean] escape sequences for a terminal
      # @return [String] threads, and where they were switched; empty without a trace
      def timeline(width: 100, color: false)
        @trace ? Timeline.new(@trace, width: width, color: color).to_s : ""
      end

      # @return [String] the timeline as a page of HTML without script or other files
      def to_html = Timeline::Page.new(self).to_s

      # @return [Array<String>] shell commands that run it again
      def instructions = Instructions.new(self, @exploration_seed, @command).lines
    end
  end
end
