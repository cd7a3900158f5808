# frozen_string_literal: true

# The process of one run: one target, one workload, one sample, which it prints as JSON. Started by
# the campaign:
#
#     ruby -Ilib bench/pool/child.rb TARGET WORKLOAD SCALE

require "json"
require_relative "../harness/meter"
require_relative "../harness/wrong"
require_relative "jobs"
require_relative "plan"
require_relative "targets"

module PoolBench
  # See above.
  class Child
    # @param plan [Plan]
    # @param driver [#map, #living] see drivers.rb
    # @param scale [Float]
    def initialize(plan, driver, scale)
      @plan = plan
      @driver = driver
      @items = Jobs.items(plan.job, plan.items_at(scale))
      @calls = plan.calls_at(scale)
      @meter = Bench::Meter.new(descendants: true)
    end

    # @return [Hash] the sample
    def sample
      @plan.warm? ? with_living_workers : in_one_call
      @meter.sample
    end

    private

    def in_one_call
      # its code is loaded then
      check(@driver.map(@items.first(2), @plan.job, @plan.workers), @items.first(2))
      results = measure(1) { @driver.map(@items, @plan.job, @plan.workers) }
      check(results, @items)
    end

    def with_living_workers
      pool = @driver.living(@plan.job, @plan.workers)
      [@calls / 5, 1].max.times { check(pool.map(@items), @items) }
      results = measure(@calls) { pool.map(@items) }
      check(results, @items)
    ensure
      pool&.close
    end

    def measure(calls)
      results = nil
      @meter.operations = calls * @plan.operations(@items.size)
      @meter.collect
      @meter.mark(:begin)
      calls.times { results = yield }
      @meter.mark(:end)
      results
    end

    def check(results, items)
      unless Jobs.right?(@plan.job, items, results)
        raise Bench::Wrong, "the results of #{items.size} items are wrong"
      end
    end
  end
end

target, workload, scale = ARGV
plan = PoolBench::Plans::ALL.fetch(workload)
driver = PoolBench::Targets::ALL.fetch(target).open.call
if driver.is_a?(String)
  exec(PoolBench::Targets::PYTHON, File.join(__dir__, "reference.py"), driver, plan.job.to_s,
    plan.items_at(scale.to_f).to_s,
    (plan.warm? ? plan.calls_at(scale.to_f) : 0).to_s, plan.workers.to_s, plan.unit)
end
puts JSON.generate(PoolBench::Child.new(plan, driver, Float(scale)).sample)
