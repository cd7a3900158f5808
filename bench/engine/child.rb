# frozen_string_literal: true

# The process of one run: one target, one workload, one sample, which it prints as JSON. Started by
# the campaign:
#
#     ruby -Ilib bench/engine/child.rb TARGET WORKLOAD SCALE [count]

require "json"
require_relative "limit"
require_relative "../harness/meter"
require_relative "plan"
require_relative "targets"

module EngineBench
  # See above.
  module Child
    module_function

    def run(target, workload, scale, count = nil)
      plan = Plans::ALL.fetch(workload)
      counts = plan.counts(Float(scale))
      return Limit.sample(plan, count: !count.nil?, **counts) if target == "limit"

      measure(plan, Targets::ALL.fetch(target).open.call, Bench::Meter.new(count: !count.nil?),
        counts)
    end

    def measure(plan, driver, meter, counts)
      workload = plan.workload.new(driver, **plan.settings)
      workload.measure(meter, **counts)
      driver.close
      {**meter.sample, **workload.facts(meter)}
    end
  end
end

puts JSON.generate(EngineBench::Child.run(*ARGV))
