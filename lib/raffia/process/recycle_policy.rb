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
      # Units of work: items, requests.
      attr_reader :max_count
      # Seconds.
      attr_reader :max_age
      # Bytes.
      attr_reader :max_memory
      # Part by which the limits of workers differ, so that those which began together do not end
      # together: counts are raised, ages lowered.
      attr_reader :jitter

      def initialize(max_count: nil, max_age: nil, max_memory: nil, memory: :pss, jitter: 0.0)
        @max_count = max_count
        @max_age = max_age
        @max_memory = max_memory
        @growth = memory == :growth
        @jitter = jitter
      end

      # Whether growth is measured, rather than the PSS.
      def growth? = @growth

      # Whether a worker may stay for ever.
      def unlimited? = !(@max_count || @max_age || @max_memory)

      # The block: once, when {Usage#count} reaches the limit.
      def track(pid, &) = Usage.new(self, pid, &)
    end
  end
end
