# frozen_string_literal: true

require_relative "cpus"
require_relative "ractors/duplex_worker"
require_relative "ractors/heap_tuner"
require_relative "ractors/one_shot_worker"
require_relative "ractors/portable_block"
require_relative "ractors/worker"
require_relative "threads/worker_group"

module Raffia
  module Executor
    # In Ractors: Ruby code on every core in one process, for blocks that share nothing.
    module Ractors
      module_function

      def check(limits)
        unless defined?(::Ractor)
          raise ConfigError,
            "on: :ractors needs Ractors, which this Ruby does not have: use on: :threads"
        end
        return unless limits.move && limits.retries.positive?

        raise ConfigError, "move: and retries: exclude each other: what was moved to a Ractor is " \
          "not here any more for another attempt"
      end

      def capacity(limits) = limits.workers || Cpus.default_workers

      # Longer than for processes: a Ractor that waits gives its native thread away and must get one
      # again.
      def granularity = 0.05
      def in_caller? = false
      def local? = false
      def group = Threads::WorkerGroup
      def background_group = Threads::WorkerGroup
      def around = yield

      # From outside one sees how long a message takes, and not its calls.
      def batch_limit(limits) = (1 if limits.item_timeout)
      def overrun_grace = 0.0

      def workers(service, limits)
        block = PortableBlock.share(service.block)
        return -> { OneShotWorker.new(service, limits.item_timeout) } unless block

        shared = service.shareable(block)
        tuner = HeapTuner.new
        -> { Worker.new(shared, tuner, move: limits.move) }
      end
    end
  end
end
