# frozen_string_literal: true

require "socket"
require_relative "../raffia"

unless RUBY_ENGINE == "ruby"
  raise LoadError, "raffia/simulation needs the Fiber scheduler and TracePoints of CRuby, which " \
    "this Ruby (#{RUBY_ENGINE}) does not have: run simulations on CRuby"
end

module Raffia
  # Runs a block in a simulated world: virtual time, threads and fibers whose order is drawn from a
  # seed, a simulated network. A bug that depends on time or order is found by trying many orders,
  # and can be run again exactly.
  #
  # @example
  #   Raffia::Simulation.explore(runs: 1_000) do
  #     counter = Counter.new
  #     2.times.map { Thread.new { counter.increment } }.each(&:join)
  #     raise "lost an update" unless counter.value == 2
  #   end.raise!
  module Simulation
    require_relative "simulation/error"
    require_relative "simulation/strategy"
    require_relative "simulation/world"
    require_relative "simulation/findings"
    require_relative "simulation/wait_report"
    require_relative "simulation/handle"
    require_relative "simulation/exploration"
    require_relative "simulation/replay"

    class << self
      # Runs the block once. RAFFIA_SEED and RAFFIA_SCHEDULE apply. A replay of a failure has its
      # timeline.
      # @param seed [Integer, nil] of all choices; nil: RAFFIA_SEED, else 0
      # @param strategy [Symbol] :fifo, :random, :pct, :portfolio or :exhaustive
      # @param options [Hash] as {explore} takes them
      # @yieldparam sim [Handle]
      # @return [Object] the block's value
      # @raise [Failed] the block raised, or the simulation found something; `cause` is the error
      def run(seed: nil, strategy: :fifo, **options, &block)
        raise ConfigError, "a simulation needs a block: the program to run" unless block

        config = Config.load
        return replay(config.schedule, **options, &block) if config.schedule

        value = nil
        # A warning of a report, which is not seen.
        options[:ignore] = [*options[:ignore], :lock_order]
        explore(runs: 1, seed: seed || config.seed || 0, strategy: strategy, shrink: false,
          verify: false, config: config.with(runs: nil, strategy: nil), **options) do |sim|
          value = block.call(sim)
        end.raise!
        value
      end

      # Whether a fault happens at this place of the program: see {Handle#fault}. Never outside of a
      # simulation.
      # @param name [Symbol, String] of the place
      # @param probability [Numeric] in the runs in which the place is on
      # @return [Boolean]
      def fault?(name, probability = 0.25)
        world = World.current
        world ? world.faults.site?(name, probability) : false
      end

      # Runs the block many times, each time with other choices. {Config} names the variables that
      # apply. With RAFFIA_SCHEDULE, it runs that schedule only.
      # @param runs [Integer, nil] at most; nil: 1,000, or any number with `seconds:`
      # @param seconds [Numeric, nil] real ones, after which no further run begins
      # @param seed [Integer, nil] nil: RAFFIA_SEED, or a random one
      # @param strategy [Symbol] :fifo, :random, :pct, :portfolio or :exhaustive
      # @param depth [Integer] of PCT: ordering constraints that a bug needs
      # @param bound [Integer, nil] of :exhaustive: preemptions of a run; nil: any number
      # @param shrink [Boolean] look for the simplest schedule that fails
      # @param verify [Boolean] look for nondeterminism: the block runs once before all runs, and
      #   some runs are run twice; not with :exhaustive
      # @param name [String] of the program in the corpus; by default the block's file and line
      # @param progress [#call, nil] gets the number of runs after each one
      # @param command [String, nil] of the shell, which runs it again; nil: that of this process
      # @param config [Config] variables
      # @param options [Hash] start: (Time), preempt: (:cruby, :none), preempt_in: (globs, gems),
      #   max_steps:, virtual_limit: (seconds), real_limit: (seconds), ignore:, allow:,
      #   faults: (kinds of {Fault::KINDS} with their probabilities, or :swarm: each run draws its
      #   kinds), max_faults: (by chance, in one run), races: (true: find data races, at the cost of
      #   time)
      # @yieldparam sim [Handle]
      # @return [Report]
      # @raise [ConfigError]
      # @raise [Diverged] RAFFIA_SCHEDULE does not fit the block
      # @raise [Interrupted] Ctrl-C while a failure was shrunk
      def explore(runs: nil, seconds: nil, seed: nil, strategy: :portfolio, depth: 3, bound: nil,
        shrink: true, verify: true, name: nil, progress: nil, command: nil, config: Config.load,
        **options, &block)
        raise ConfigError, "a simulation needs a block: the program to run" unless block

        seed ||= config.seed || ::Random.new_seed & 0xffff_ffff
        if config.schedule
          failure = failure_of(config.schedule, loose: false, command:, **options, &block)
          return Report.new(failure: failure, runs: 1, seed: seed, seconds: 0.0)
        end

        strategy = config.strategy || strategy
        runs = config.runs || runs || (1_000 unless seconds)
        Exploration.new(Settings.build(**options), Exploration::Options.new(
          runs:, seconds:, seed:, shrink:, verify:, progress:, command:, report: config.report,
          strategy: Strategy.build(strategy, depth:, bound:), strategy_name: strategy,
          corpus: config.corpus && Corpus.new(config.corpus, name || place(block))
        ).check, &block).report
      end

      # Runs the block with the choices of a schedule.
      # @param schedule [Schedule, String] a schedule, its text, or the path of its file
      # @param loose [Boolean] after changes of the program: a choice that does not fit becomes the
      #   default
      # @param options [Hash] as {explore} takes them
      # @yieldparam sim [Handle]
      # @return [Object] the block's value
      # @raise [Failed] the block raised, or the simulation found something
      # @raise [Diverged] the program takes another way than the schedule
      # @raise [ConfigError] it is no schedule
      def replay(schedule, loose: false, **options, &block)
        value = nil
        failure = failure_of(schedule, loose: loose, **options) do |sim|
          value = block.call(sim)
        end
        raise Failed, failure, cause: failure.error if failure

        value
      end

      private

      def failure_of(schedule, loose:, command: nil, **options, &block)
        schedule = Schedule.of(schedule)
        settings = Settings.build(preempt: schedule.preempt, **options)
        RealThread.open(settings) do |thread|
          Replay.new(Program.new(thread, settings, &block), schedule, strict: !loose, command:)
            .failure
        end
      end

      def place(block)
        block.source_location.join(":").delete_prefix("#{::Dir.pwd}/")
      end
    end
  end
end
