# frozen_string_literal: true

require_relative "worker_loop"

module Raffia
  module Executor
    # In the caller, one call after another: for tests, for debugging, and to measure the others by.
    module Inline
      # No workers: the caller drives, so an exception, +break+ or +throw+ needs no transport.
      class WorkerGroup
        def initialize(coordinator, _workers)
          @coordinator = coordinator
          @slot = yield
        end

        def size = 0
        def open = yield
        def join = nil
        def start(_count) = WorkerLoop.serve(@coordinator, @slot, wait: false)
        def grow(_feed) = start(1)
      end

      module_function

      def check(_limits) = nil
      def capacity(limits) = limits.workers || 1

      # Chunks make no caller wait.
      def granularity = 0.01
      def in_caller? = true
      def local? = true
      def group = WorkerGroup
      def background_group = nil
      def around = yield
    end
  end
end
