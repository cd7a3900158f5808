# frozen_string_literal: true

require_relative "load"
require_relative "../harness/meter"
require_relative "tools"

module EngineBench
  # Measures the C program (limit.c) under the same load, from outside.
  module Limit
    module_function

    # @return [Hash] a sample
    def sample(plan, count:, warm:, operations:)
      server = IO.popen([Tools.program("limit"), plan.workload::PROTOCOL], "r")
      meter = Bench::Meter.new(pid: server.pid, count: count)
      load = Load.new(plan.workload::PROTOCOL, Integer(server.gets),
        plan.settings.fetch(:connections), warm:, operations:)
      load.follow(meter)
      load.finish(meter)
      {**meter.sample, **load.facts(meter)}
    ensure
      Process.kill(:KILL, server.pid)
      server.close
    end
  end
end
