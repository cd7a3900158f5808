# frozen_string_literal: true

# The process of one run: one target, one workload, one sample, which it prints as JSON. Started by
# the campaign:
#
#     ruby -Ilib bench/actor/child.rb TARGET WORKLOAD SCALE

require "json"
require_relative "../harness/meter"
require_relative "../harness/wrong"
require_relative "plan"
require_relative "targets"

module ActorBench
  # See above.
  class Child
    # Share of the operations that run before the measurement, so that JIT-compiled code is
    # measured.
    WARM = 0.2

    # @param driver [Class] it has a method for each workload, which prepares it and returns what
    #   does so many operations of it
    def initialize(plan, driver, scale)
      @plan = plan
      @operations = plan.operations_at(scale)
      @driver = driver.new
      @meter = Bench::Meter.new(descendants: true)
    end

    # @return [Hash] the sample
    def sample
      @meter.operations = @operations
      @driver.around(@plan) { @plan.parks? ? park : measure }
      @plan.parks? ? {**@meter.sample, kib: @meter.kib_each(@operations)} : @meter.sample
    end

    private

    def measure
      work = @driver.public_send(@plan.name)
      check((@operations * WARM).ceil, &work)
      @meter.collect
      @meter.mark(:begin)
      right = work.call(@operations)
      @meter.mark(:end)
      wrong unless right
    end

    def check(operations) = yield(operations) || wrong

    def wrong = raise(Bench::Wrong, "the results of #{@plan.name} are wrong")

    # They are used once before, so that their memory is that of actors that have been at work.
    def park
      idle = @driver.public_send(@plan.name)
      check(10, &idle)
      @meter.collect
      @meter.mark(:idle)
      @meter.mark(:begin)
      right = idle.call(@operations)
      @meter.mark(:end)
      @meter.collect
      @meter.mark(:parked)
      wrong unless right
    end
  end
end

target, workload, scale = ARGV
plan = ActorBench::Plans::ALL.fetch(workload)
driver = ActorBench::Targets::ALL.fetch(target).open.call
if driver == :elixir
  # its schedulers would turn in circles for a while when they have nothing to do
  quiet = "+sbwt none +sbwtdcpu none +sbwtdio none"
  exec("elixir", "--erl", "#{quiet} +P 2000000", File.join(__dir__, "reference.exs"), workload,
    plan.operations_at(Float(scale)).to_s)
end
puts JSON.generate(ActorBench::Child.new(plan, driver, Float(scale)).sample)
