# frozen_string_literal: true

require_relative "cpus"
require_relative "processes/duplex_worker"
require_relative "processes/worker"
require_relative "threads/worker_group"

module Raffia
  module Executor
    # In forked processes: every core for Ruby code, no shared state, and the only workers that can
    # be stopped hard.
    module Processes
      # A process gets its calls in so many messages at least: calls that are left over when the
      # next message does not fit are lost.
      SHARES = 8

      module_function

      def check(_limits)
        return if ::Process.respond_to?(:fork)

        raise ConfigError, "on: :processes needs fork, which this Ruby does not have: use on: " \
          ":threads"
      end

      def capacity(limits) = limits.workers || Cpus.default_workers
      def granularity = 0.01
      def in_caller? = false
      def local? = false
      def group = Threads::WorkerGroup
      def background_group = Threads::WorkerGroup
      def around = yield

      def batch_limit(limits)
        most = limits.max_tasks
        most && [limits.chunk || most.ceildiv(SHARES), most].min
      end

      # Lets a call that overruns its limit end by itself, with its +ensure+ blocks.
      def overrun_grace = 0.5

      def workers(service, limits)
        Process::Warmup.call
        policy = Process::RecyclePolicy.new(max_count: limits.max_tasks, max_age: limits.max_age,
          max_memory: limits.max_memory, memory: :growth)
        -> { Worker.new(service, policy) }
      end
    end
  end
end
