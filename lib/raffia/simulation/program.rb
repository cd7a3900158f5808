# frozen_string_literal: true

require_relative "real_thread"

module Raffia
  module Simulation
    # The block under simulation: runs it once, and keeps the little of a run that others need. The
    # world of a run is garbage when the run is over.
    #
    # @api private
    class Program
      # One run. +preemptions+: indexes of choices; +steps+: choices of threads and timers.
      Run = ::Data.define(:seed, :choices, :prints, :preemptions, :digest, :steps, :value,
        :error, :faults, :races, :warnings) do
        def failed? = !error.nil?
      end

      attr_reader :settings

      def initialize(thread, settings, &block)
        @thread = thread
        @settings = settings
        @block = block
      end

      # A run whose choices the strategy draws.
      def explore(strategy, seed, steps)
        strategy.start(seed, steps)
        run(Decisions.new(strategy), seed)
      end

      # A run with these choices; default ones follow. +prints+: their fingerprints, which the run
      # must have, too; nil: a choice that does not fit becomes the default.
      def replay(seed, choices, prints: nil, trace: nil)
        run(Decisions.new(Strategy::Fifo.new.tap { |fifo| fifo.start(seed, 0) }, replay: choices,
          prints: prints), seed, trace)
      end

      private

      def run(decisions, seed, trace = nil)
        outcome = @thread.run(decisions, seed: seed, trace: trace, &@block)
        trace&.close(outcome.world, outcome.error)
        Run.new(seed: seed, choices: decisions.choices, prints: decisions.prints,
          preemptions: decisions.preemptions, digest: decisions.digest,
          steps: outcome.world.thread_scheduler.steps, value: outcome.value, error: outcome.error,
          faults: outcome.world.faults.report, races: outcome.races,
          warnings: outcome.world.warnings)
      end
    end
  end
end
