# frozen_string_literal: true

require "logger"
require "raffia"
require "raffia/actor"
require "raffia/simulation"
require_relative "program"

# Programs that run Raffia's components in simulation, each with an oracle: what the component's
# documentation promises.
#
# `rake test` runs each model a fixed number of times; `rake simulate` for as long as it is told,
# with new seeds; `rake simulate:mutants` with faults planted into the component.
module Simulations
  # An oracle does not hold.
  class Violation < StandardError; end

  # @!attribute name
  #   @return [String] begins with the component's: "task/channel: items arrive once"
  # @!attribute covers
  #   @return [Array<String>] files below lib/raffia, without ".rb", whose mutants it may catch
  # @!attribute runs
  #   @return [Integer] of a test
  # @!attribute options
  #   @return [Hash] of Raffia::Simulation.explore
  # @!attribute exhaustive
  #   @return [Boolean] all orders are taken; there are at most `runs` that differ
  # @!attribute program
  #   @return [Proc] runs in a {Program}; raises when the oracle does not hold
  Model = Data.define(:name, :covers, :runs, :options, :exhaustive, :program) do
    # @param strategy [Symbol]
    # @param more [Hash] options of Raffia::Simulation.explore
    # @return [Raffia::Simulation::Report]
    def explore(runs:, seed:, strategy: :portfolio, **more)
      runs, strategy = self.runs, :exhaustive if exhaustive
      log = Raffia::Actor.log
      Raffia::Actor.log = Logger.new(nil) # of errors that are meant
      Raffia::Simulation.explore(runs:, seed:, strategy:, **options, **more) do |sim|
        Program.new(sim).instance_exec(&program)
      end
    ensure
      Raffia::Actor.log = log
    end
  end

  # Models of one component.
  class Group
    def initialize(component, covers, options)
      @component = component
      @covers = covers
      @options = options
    end

    # @param name [String] what holds
    # @param exhaustive [Boolean] the program is small enough for all orders
    def model(name, runs: 20, covers: @covers, exhaustive: false, **options, &program)
      name = "#{@component}: #{name}"
      MODELS[name] = Model.new(name:, covers:, runs:, options: {**@options, **options},
        exhaustive:, program:)
    end
  end

  # By name.
  MODELS = {} # rubocop:disable Style/MutableConstant

  # Defines models of a component.
  # @param component [String] "task/channel"
  # @param covers [Array<String>] files that belong to it, beside that of its name
  def self.of(component, covers: [], **options, &)
    folders = [component, *covers].map { |file| File.dirname(file) }.uniq
    globs = folders.map { |folder| "**/lib/raffia/#{folder}/**" }
    Group.new(component, [component, *covers].uniq, {preempt_in: globs, **options})
      .instance_exec(&)
  end

  # Loads the models of a folder of test/simulation, or all.
  # @return [Hash{String => Model}]
  def self.load(folder = "*")
    before = MODELS.keys
    Dir[File.join(__dir__, folder, "*.rb")].sort.each { |file| require file }
    MODELS.except(*before)
  end
end
