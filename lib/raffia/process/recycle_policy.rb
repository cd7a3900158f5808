# frozen_string_literal: true

require_relative "recycle_policy/usage"

module Raffia
  module Process
    # Says when a worker process is to be replaced: after an amount of work, at an age, at a size.
    # Pools, servers and the supervisor share it; each decides when to ask.
    #
    #     usage = RecyclePolicy.new(max_count: 1_000).track(pid)
    #     usage.add(50)
    #     usage.reason #=> nil
    #
    # @api private
    class RecyclePolicy
      # @return [Integer, nil] units of work: items, requests
      attr_reader :max_count
      # @return [Numeric, nil] seconds
      attr_reader :max_age
      # @return [Integer, nil] bytes
      attr_reader :max_memory
      # @return [Float] part by which the limits of workers differ, so that those which began
      #   together do not end together: counts are raised, ages lowered
      attr_reader :jitter

      # @param memory [Symbol] what max_memory limits: the :pss, or the :growth of the resident size
      #   since it was smallest. (A child may free much of what it inherits before it grows.)
      def initialize(max_count: nil, max_age: nil, max_memory: nil, memory: :pss, jitter: 0.0)
        @max_count = max_count
        @max_age = max_age
        @max_memory = max_memory
        @growth = memory == :growth
        @jitter = jitter
      end

      # @return [Boolean] whether growth is measured, rather than the PSS
      def growth? = @growth

      # @return [Boolean] whether a worker may stay for ever
      def unlimited? = !(@max_count || @max_age || @max_memory)

      # @param pid [Integer] of a worker that begins now
      # @yield once, when {Usage#count} reaches the limit
      def track(pid, &) = Usage.new(self, pid, &)
    end
  end
end
