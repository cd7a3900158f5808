# frozen_string_literal: true

require "monitor"

module SimulationBench
  # The planted bug struck: an oracle of a model says what came out wrong.
  class Violation < StandardError; end

  # A planted bug.
  #
  # @!attribute name
  #   @return [String]
  # @!attribute source
  #   @return [String] gem and issue that it is modelled on, or "classic"
  # @!attribute fault
  #   @return [String] the bug in a few words
  # @!attribute needs
  #   @return [Array<Symbol>] what must happen for the bug to strike: a switch between threads
  #   (:preempt), an exception from another thread (:interrupt), the network (:network), a fault
  #   that the simulation draws (:fault), time (:time)
  # @!attribute options
  #   @return [Hash] for Raffia::Simulation.explore
  # @!attribute stress
  #   @return [Boolean] whether the model also runs on real threads
  # @!attribute buggy
  #   @return [Proc] |sim| raises if the bug strikes
  # @!attribute fixed
  #   @return [Proc] |sim| never raises
  Model = Data.define(:name, :source, :fault, :needs, :stress, :options, :buggy, :fixed)

  # All models by name.
  MODELS = {} # rubocop:disable Style/MutableConstant

  # Adds a model: see {Model}.
  def self.model(name, source:, fault:, needs:, buggy:, fixed:, stress: true, options: {})
    MODELS[name] = Model.new(name:, source:, fault:, needs:, stress:, options:, buggy:, fixed:)
  end

  # The oracle.
  # @raise [Violation] unless the condition holds
  def self.check(condition, message) = condition || raise(Violation, message)

  # Loads the models of bugs/.
  # @return [Hash{String => Model}]
  def self.load_models
    Dir[File.join(__dir__, "bugs/*.rb")].sort.each { |file| require file }
    MODELS
  end
end
