# frozen_string_literal: true

require_relative "cpus"
require_relative "threads/blocking_pool"
require_relative "threads/operation_pool"
require_relative "threads/worker_group"

module Raffia
  module Executor
    module Threads
      module_function

      def check(_limits) = nil
      def capacity(limits) = limits.workers || Cpus.default_workers

      # Short: a handful of waiting items must not end up with one thread.
      def granularity = 0.001
      def in_caller? = false
      def local? = true
      def group = WorkerGroup
      def background_group = WorkerGroup
      def around = yield
    end
  end
end
