# frozen_string_literal: true

require_relative "../harness/wrong"

module EngineBench
  # A piece of work, the same code for every target: it runs in fibers of whatever scheduler is set,
  # or in threads. A subclass says what its operation is, does `count` of them in {#call}, and
  # counts in {#right} what has really happened.
  class Workload
    # @param driver [Fibers, Threads]
    # @param settings [Hash] of the {Plan}, such as connections:
    def initialize(driver, **settings)
      @driver = driver
      @settings = settings
    end

    # Warm up, then measure the same again.
    # @return [void]
    def measure(meter, warm:, operations:)
      prepare
      work(warm)
      meter.collect
      meter.mark(:begin)
      work(operations)
      meter.mark(:end)
      meter.operations = operations
    end

    # @return [Hash] what else there is to say about the measurement
    def facts(_meter) = {}

    private

    def spawn(&) = @driver.spawn(&)

    # Unmeasured preparation.
    def prepare = nil

    def work(count)
      @right = 0
      @driver.run { call(count) }
      unless @right == count
        raise Bench::Wrong, "#{@right} of #{count} operations had the right result"
      end
    end
  end
end
