# frozen_string_literal: true

require_relative "../workload"

module EngineBench
  # Memory of a waiting fiber: how much the process grows when many wait for a queue.
  class Parked < Workload
    def measure(meter, warm:, operations:)
      work(warm)
      meter.collect
      meter.mark(:idle)
      meter.mark(:begin)
      @when_parked = -> { meter.mark(:parked) }
      work(operations)
      meter.mark(:end)
      meter.operations = operations
    end

    def facts(meter) = {kib: meter.kib_each(meter.operations)}

    private

    def call(count)
      queue = Thread::Queue.new
      count.times { spawn { queue.pop && @right += 1 } }
      sleep(0.01) until queue.num_waiting == count
      @when_parked&.call
      count.times { queue << true }
    end
  end
end
