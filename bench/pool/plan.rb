# frozen_string_literal: true

module PoolBench
  # A workload of the suite.
  #
  # @!attribute job
  #   @return [Symbol] what is done with an item: see {Jobs}
  # @!attribute items
  #   @return [Integer] in a call
  # @!attribute calls
  #   @return [Integer, nil] of workers that are there already; nil for one call that starts its own
  #   workers
  # @!attribute workers
  #   @return [Integer]
  Plan = Data.define(:name, :title, :unit, :job, :items, :calls, :workers) do
    def initialize(name:, title:, job:, items:, unit: "item", calls: nil, workers: 2) = super

    def warm? = !calls.nil?

    # @param scale [Float]
    # @return [Integer] items in a call at this size
    def items_at(scale) = warm? ? items : [(items * scale).round, 2].max

    # @return [Integer] calls at this size
    def calls_at(scale) = warm? ? [(calls * scale).round, 1].max : 1

    # @return [Integer] how many operations a call is
    def operations(items) = (unit == "call") ? 1 : items
  end

  # The suite.
  module Plans
    ALL = [
      Plan.new(name: "tiny", title: "one call, 1,000,000 trivial items", job: :tiny,
        items: 1_000_000),
      Plan.new(name: "two", title: "one call, two trivial items", unit: "call", job: :tiny,
        items: 2),
      Plan.new(name: "warm_tiny", title: "living workers, 20,000 trivial items in a call",
        job: :tiny, items: 20_000, calls: 5),
      Plan.new(name: "warm_two", title: "living workers, two trivial items in a call", unit: "call",
        job: :tiny, items: 2, calls: 2_000),
      Plan.new(name: "small", title: "10,000 items of 100 us of CPU", job: :spin_100us,
        items: 10_000),
      Plan.new(name: "large", title: "100 items of 100 ms of CPU", job: :spin_100ms, items: 100),
      Plan.new(name: "skewed", title: "1,000 items of 0.1 to 100 ms of CPU, in a random order",
        job: :spin, items: 1_000),
      Plan.new(name: "big", title: "64 items of 4 MiB, and results as large", job: :big, items: 64),
      Plan.new(name: "waits", title: "320 items that wait 20 ms, 32 at once", job: :wait,
        items: 320, workers: 32)
    ].to_h { |plan| [plan.name, plan] }.freeze
  end
end
