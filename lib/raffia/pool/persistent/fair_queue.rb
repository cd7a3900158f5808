# frozen_string_literal: true

module Raffia
  class Pool
    module Persistent
      # Waiting items, in a queue for each fiber (or thread) that submitted some. Callers are served
      # in turn, so one with thousands of items cannot starve the others.
      #
      # A {QueueFeed} has it in place of an Array, under its lock.
      #
      # @api private
      class FairQueue
        attr_reader :size

        def initialize
          @queues = {}.compare_by_identity # the next to be served comes first; none is empty
          @returned = []
          @size = 0
        end

        def empty? = @size.zero?

        def <<(item)
          (@queues[::Fiber.current] ||= []) << item
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
          taken << turn while taken.size < count && !@queues.empty?
          @size -= taken.size
          taken
        end

        private

        def turn
          caller, queue = @queues.first
          item = queue.shift
          @queues.delete(caller) if queue.empty? || @queues.size > 1
          @queues[caller] = queue unless queue.empty?
          item
        end
      end
    end
  end
end
