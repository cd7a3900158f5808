# frozen_string_literal: true

require "socket"
require_relative "../raffia"

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

    class << self
      # Runs the block once.
      # @param seed [Integer] of all choices
      # @param strategy [Symbol] :fifo, :random, :pct, :portfolio or :exhaustive
      # @param options [Hash] as {explore} takes them
      # @yieldparam sim [Handle]
      # @return [Object] the block's value
      # @raise [Failed] the block raised, or the simulation found something; `cause` is the error
      def run(seed: 0, strategy: :fifo, **options, &block)
        value = nil
        explore(runs: 1, seed: seed, strategy: strategy, **options) do |sim|
          value = block.call(sim)
        end.raise!
        value
      end

      # Whether a fault happens at this place of the program: see {Handle#fault}. Never outside of a
      # simulation.
      # @param name [Symbol, String] of the place
      # @param probability [Float] in the runs in which the place is on
      # @return [Boolean]
      def fault?(name, probability = 0.25)
        world = World.current
        world ? world.faults.site?(name, probability) : false
      end

      # Runs the block many times, each time with other choices.
      # @param runs [Integer] at most
      # @param seed [Integer, nil] nil: a random one
      # @param strategy [Symbol] :fifo, :random, :pct, :portfolio or :exhaustive
      # @param depth [Integer] of PCT: ordering constraints that a bug needs
      # @param bound [Integer, nil] of :exhaustive: preemptions of a run; nil: any number
      # @param options [Hash] start: (Time), preempt: (:cruby, :none), preempt_in: (globs, gems),
      #   max_steps:, virtual_limit: (seconds), real_limit: (seconds), ignore:, allow:,
      #   faults: (kinds of {Fault::KINDS} with their probabilities, or :swarm: each run draws its
      #   kinds), max_faults: (by chance, in one run)
      # @yieldparam sim [Handle]
      # @return [Report]
      # @raise [ConfigError]
      def explore(runs: 1_000, seed: nil, strategy: :portfolio, depth: 3, bound: nil,
        **options, &block)
        raise ConfigError, "a simulation needs a block: the program to run" unless block

        settings = Settings.build(**options)
        Exploration.new(settings, strategy: Strategy.build(strategy, depth:, bound:), runs:,
          seed: seed || ::Random.new_seed & 0xffff_ffff, &block).report
      end
    end
  end
end
