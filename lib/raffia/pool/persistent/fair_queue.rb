# frozen_string_literal: true

module Raffia
  class Pool
    module Persistent
      # Waiting items, in a lane for each fiber that submitted some. Lanes are served in turn, so a
      # caller with thousands of items cannot starve the others. A lane keeps its order. A thread is
      # the fiber that it runs.
      #
      # A {QueueFeed} has it in place of an Array, under its lock.
      class FairQueue
        # How many items wait.
        attr_reader :size

        def initialize
          @lanes = {}.compare_by_identity # the next to be served comes first; none is empty
          @returned = []
          @size = 0
        end

        def empty? = @size.zero?

        # Add an item of the running fiber's.
        def <<(item)
          (@lanes[::Fiber.current] ||= []) << item
          @size += 1
          self
        end

        def unshift(*items)
          @returned.unshift(*items)
          @size += items.size
          self
        end

        def shift(count)
          taken = @returned.shift(count)
          taken << turn while taken.size < count && !@lanes.empty?
          @size -= taken.size
          taken
        end

        private

        def turn
          caller, lane = @lanes.first
          item = lane.shift
          @lanes.delete(caller) if lane.empty? || @lanes.size > 1
          @lanes[caller] = lane unless lane.empty?
          item
        end
      end
    end
  end
end
