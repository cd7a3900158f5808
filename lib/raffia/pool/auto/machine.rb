# frozen_string_literal: true

require_relative "starting_slot"

module Raffia
  class Pool
    class Auto
      # The machine and process to run on.
      #
      # processors:: that this process may use
      # cores:: real ones among them
      # lock:: whether only one thread at a time runs Ruby code
      # wanted, most:: workers that the user wants, and the most that there may be
      # scheduler:: whether a Fiber scheduler runs here already
      # jit:: whether YJIT is on, without which Ractors of Ruby 3 are slow
      # memory:: resident megabytes
      # start:: seconds that a worker process took to start and end here; nil: there was none
      # warmup:: seconds to prepare the heap for a fork, when that is due
      Machine = Data.define(:processors, :cores, :lock, :wanted, :most, :scheduler, :jit, :memory,
        :start, :warmup) do
        def self.here(options)
          processors = Executor::Cpus.count
          new(processors:, cores: Executor::Cpus.cores(most: processors),
            lock: RUBY_ENGINE == "ruby",
            wanted: options.workers || Executor::Config.load.workers,
            most: options.limit, scheduler: !::Fiber.current_scheduler.nil?, jit: jit?,
            memory: resident, start: StartCost.seconds, warmup: Process::Warmup.seconds)
        end

        def worker(costs) = start || (costs.fork + memory * costs.fork_megabyte)
        def self.jit? = !!(defined?(::RubyVM::YJIT) && ::RubyVM::YJIT.enabled?)

        def self.resident
          File.read("/proc/self/statm").split[1].to_i * 4096 / 1e6
        rescue SystemCallError
          50.0
        end
        private_class_method :jit?, :resident

        def initialize(processors:, cores: processors, lock: true, wanted: nil, most: nil,
          scheduler: false, jit: false, memory: 50.0,
          start: nil, warmup: 0.0)
          super
        end
      end
    end
  end
end
