# frozen_string_literal: true

module ActorBench
  # A workload of the suite: what is done so many times.
  #
  # @!attribute parks
  #   @return [Boolean] whether the actors stay and wait, and their memory is measured
  # @!attribute outside
  #   @return [Boolean] whether a thread asks that is none of the actors'
  Plan = Data.define(:name, :title, :unit, :operations, :parks, :outside) do
    def initialize(name:, title:, operations:, unit: "message", parks: false, outside: false)
      super
    end

    def parks? = parks

    def outside? = outside

    # @return [Integer] at this size
    def operations_at(scale) = [(operations * scale).round, 10].max
  end

  # The suite.
  module Plans
    # How many pass a message round.
    RING = 1_000
    # How many send to one.
    SENDERS = 8
    # How many do the work of a pool, and how long they wait for each piece of it, in seconds.
    WORKERS = 10
    WORK = 0.001

    ALL = [
      Plan.new(name: "call", title: "an actor asks another, and waits for the answer", unit: "call",
        operations: 100_000),
      Plan.new(name: "call_thread", title: "a thread asks an actor, and waits for the answer",
        unit: "call", operations: 50_000, outside: true),
      Plan.new(name: "ring", title: "a message goes round in a ring of 1,000", operations: 200_000),
      Plan.new(name: "fan_in", title: "eight send to one", operations: 200_000),
      Plan.new(name: "idle", title: "100,000 are begun and asked once", unit: "actor",
        operations: 100_000, parks: true),
      Plan.new(name: "restart", title: "a supervised one fails in each call", unit: "failure",
        operations: 10_000),
      Plan.new(name: "pool", title: "a pool of ten, whose work is to wait 1 ms",
        unit: "piece of work", operations: 10_000)
    ].to_h { |plan| [plan.name, plan] }.freeze
  end
end
