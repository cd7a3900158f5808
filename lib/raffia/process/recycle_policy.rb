# frozen_string_literal: true

require_relative "../base/clock"
require_relative "memory"

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
      # Units of work (items, requests), seconds, and bytes; nil: no limit.
      attr_reader :max_count, :max_age, :max_memory
      # The part by which the limits of workers differ, so that those which began together do not
      # end together: counts are raised, ages lowered.
      attr_reader :jitter

      # `memory`: what max_memory limits, the :pss, or the :growth of the resident size since it was
      # smallest. (A child may free much of what it inherits before it grows.)
      def initialize(max_count: nil, max_age: nil, max_memory: nil, memory: :pss, jitter: 0.0)
        @max_count = max_count
        @max_age = max_age
        @max_memory = max_memory
        @growth = memory == :growth
        @jitter = jitter
      end

      def growth? = @growth
      def unlimited? = !(@max_count || @max_age || @max_memory)

      # The {Usage} of a worker that begins now. The block is called once, when {Usage#count}
      # reaches the limit.
      def track(pid, &) = Usage.new(self, pid, &)

      # How much one worker has used of the limits of its policy.
      #
      # @api private
      class Usage
        def initialize(policy, pid, &reached)
          @policy = policy
          @pid = pid
          @reached = reached
          @count = 0
          @max_count = policy.max_count&.then do |most|
            most + rand((most * policy.jitter).to_i + 1)
          end
          @max_age = policy.max_age&.then { |age| age * (1 - policy.jitter * rand) }
          @since = Clock.now
          @smallest = Memory.resident(pid) if policy.max_memory && policy.growth?
        end

        def count
          @reached.call if (@count += 1) == @max_count
        end

        def add(units) = @count += units

        # Why the worker is to be replaced, as a String; nil when it may have so many units more.
        # `age` in seconds and `size` in bytes, where they are known already.
        def reason(units = 1, age: nil, size: nil)
          return "#{@count} done, the limit is #{@max_count}" if exhausted?(units)
          return "#{@policy.max_age} s old" if @max_age && (age || Clock.now - @since) >= @max_age

          too_large(size || measure) if @policy.max_memory
        end

        private

        # A piece of work that is larger than the limit has a worker to itself.
        def exhausted?(units) = @max_count && @count.positive? && @count + units > @max_count

        def too_large(size)
          return unless size && size > @policy.max_memory

          "#{size} bytes (#{@policy.growth? ? "grown" : "PSS"}), the limit is #{@policy.max_memory}"
        end

        def measure
          return Memory.of(@pid)&.pss unless @policy.growth?

          size = Memory.resident(@pid) or return
          @smallest = [@smallest || size, size].min
          size - @smallest
        end
      end
    end
  end
end
