# frozen_string_literal: true

require_relative "inline/worker_group"

module Raffia
  module Executor
    # In the caller, one call after another: for tests, for debugging, and to measure the others by.
    module Inline
      module_function

      def check(_limits) = nil
      def capacity(_limit = nil) = 1

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
