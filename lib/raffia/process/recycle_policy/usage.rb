# frozen_string_literal: true

require_relative "../../base/clock"
require_relative "../memory"

module Raffia
  module Process
    class RecyclePolicy
      # What one worker has used of the limits of its policy.
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

        # One unit more.
        def count
          @reached.call if (@count += 1) == @max_count
        end

        def add(units) = @count += units

        # `age`: seconds. `size`: bytes, where it was measured already. Why the worker is to be
        # replaced.
        def reason(units = 1, age: Clock.now - @since, size: nil)
          return "#{@count} done, the limit is #{@max_count}" if exhausted?(units)
          return "#{@policy.max_age} s old" if @max_age && age >= @max_age

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
