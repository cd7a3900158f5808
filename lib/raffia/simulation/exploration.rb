# frozen_string_literal: true

require_relative "corpus"
require_relative "exploration/diagnosis"
require_relative "exploration/options"
require_relative "program"
require_relative "report"
require_relative "schedule"

module Raffia
  module Simulation
    # Runs a block many times, each time with other choices, until a run fails. Schedules of the
    # corpus go first.
    #
    # @api private
    class Exploration
      # Among runs that passed, the first and each one after so many are run twice.
      SAMPLE = 100
      private_constant :SAMPLE

      # +options+: an Options. +settings+: of each run.
      def initialize(settings, options, &block)
        @settings = settings
        @options = options
        @block = block
        @steps = @done = 0
        @races = {}
        @warnings = []
      end

      def report
        (failure, files), seconds = Clock.measure do
          RealThread.open(@settings) do |thread|
            search(Program.new(thread, @settings, &@block))
          end
        end
        Report.new(failure:, runs: @done, seed: @options.seed, seconds:, files: files || [],
          exhausted: strategy.exhausted?, races: @races.values, warnings: @warnings)
      rescue ::Interrupt
        raise unless (failure = @diagnosis&.found)

        raise Interrupted, failure
      ensure
        strategy.close
      end

      private

      # Returns a Failure and its files, or nil.
      def search(program)
        @program = program
        @diagnosis = Diagnosis.new(program, @options)
        # A first run loads code and fills memos, which must not distinguish it from the others.
        @steps = program.explore(Strategy::Fifo.new, @options.seed, 0).steps if verify?
        found = from_corpus || from_strategy or return

        [found, @diagnosis.save(found)]
      end

      def from_corpus
        @options.corpus&.schedules&.each_value do |schedule|
          run = Replay.new(@program, schedule, strict: false).run
          return @diagnosis.failure(run, 0) if run.failed?
        end
        nil
      end

      def from_strategy
        seeds = ::Random.new(@options.seed)
        limit = @options.seconds && Clock.now + @options.seconds
        until @done == @options.runs || strategy.finished? || (limit && Clock.now > limit)
          @done += 1
          failure = run(one_seed? ? @options.seed : seeds.rand(1 << 62))
          return failure if failure

          @options.progress&.call(@done)
        end
      end

      def strategy = @options.strategy

      def one_seed? = @options.runs == 1 || strategy.one_seed?

      def run(seed)
        run = @program.explore(strategy, seed, @steps)
        @steps = run.steps if run.steps > @steps
        @warnings |= run.warnings
        run.races&.each { |race| @races[race.key] ||= race }
        strategy.close if run.failed?
        return @diagnosis.failure(run, @done) if run.failed?

        @diagnosis.compare(run, @done) if sample?
      end

      # An exhaustive strategy observes its runs one after the other.
      def verify? = @options.verify && !strategy.one_seed?

      def sample? = verify? && @done % SAMPLE == 1
    end
  end
end
