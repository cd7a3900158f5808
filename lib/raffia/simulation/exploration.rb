# frozen_string_literal: true

require_relative "failure"
require_relative "real_thread"
require_relative "report"
require_relative "schedule"

module Raffia
  module Simulation
    # Runs a block many times, each time with other choices, until a run fails.
    #
    # @api private
    class Exploration
      def initialize(settings, strategy:, seed:, runs:, &block)
        @settings = settings
        @strategy = strategy
        @seed = seed
        @runs = runs
        @block = block
        @steps = @done = 0
      end

      def report
        failure, seconds = Clock.measure do
          RealThread.open(@settings) { |thread| first_failure(thread) }
        end
        Report.new(failure:, runs: @done, seed: @seed, seconds:, exhausted: @strategy.exhausted?)
      ensure
        @strategy.close
      end

      private

      # Returns nil when no run fails.
      def first_failure(thread)
        seeds = ::Random.new(@seed)
        until @done == @runs || @strategy.finished?
          @done += 1
          failure = run(thread, @done, one_seed? ? @seed : seeds.rand(1 << 62))
          return failure if failure
        end
      end

      def one_seed? = @runs == 1 || @strategy.one_seed?

      def run(thread, number, seed)
        @strategy.start(seed, @steps)
        decisions = Decisions.new(@strategy)
        outcome = thread.run(decisions, seed: seed, &@block)
        @steps = [@steps, outcome.world.steps].max
        return unless outcome.error

        schedule = Schedule.new(seed: seed, choices: decisions.choices, prints: decisions.prints)
        Failure.new(error: outcome.error, run: number, seed: seed, schedule: schedule,
          faults: outcome.world.faults.report)
      end
    end
  end
end
