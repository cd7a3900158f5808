# frozen_string_literal: true

module Raffia
  class Pool
    module Persistent
      # The slots of a pool's workers, each under the fiber whose loop has it.
      #
      # @api private
      class SlotRegistry
        attr_reader :most

        def initialize(lock, counts)
          @lock = lock
          @counts = counts
          @slots = {}.compare_by_identity
          @interrupted = {}.compare_by_identity
          @most = 0
        end

        def size = @slots.size

        def pids = @slots.values.filter_map(&:pid)

        def replaced = @counts[:replaced] + @slots.values.sum(&:replaced)

        def add(slot)
          @lock.hold do
            lost = @slots[::Fiber.current]
            @counts[:replaced] += 1 + lost.replaced if lost
            @slots[::Fiber.current] = slot
            @most = @slots.size if @slots.size > @most
          end
          slot
        end

        def remove
          @lock.hold do
            slot = @slots.delete(::Fiber.current)
            @counts[:replaced] += slot.replaced if slot
          end
        end

        def own? = @slots.key?(::Fiber.current)

        # Ends the worker that is at this future right now, as far as that can be known.
        def interrupt(future)
          slot = @lock.hold { @slots.values }.find { |one| at_work?(one, future) }
          return :dropped unless slot

          @lock.hold { @interrupted[slot] = true }
          slot.interrupt
        end

        # Whether a worker's end was meant; asked once.
        def interrupted?(slot) = @lock.hold { @interrupted.delete(slot) } || false

        private

        def at_work?(slot, future)
          # An idle one may have ended already, and its note is old.
          return false if slot.posted.empty?

          index = slot.begun or return false
          slot.posted.any? { |chunk| chunk.cover?(index) && chunk.at(index).equal?(future) }
        end
      end
    end
  end
end
