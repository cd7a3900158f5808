# frozen_string_literal: true

module Raffia
  module Executor
    module Ractors
      class HeapTuner
        # What the keeper of a {HeapTuner} does, in its thread.
        #
        # @api private
        class Monitor
          def initialize
            @pause = PAUSE
            @kept = []
            @swept = GC.count
            look
          end

          # @param bell [Thread::Queue] closed when it is time to go
          # @return [void]
          def run(bell)
            until bell.pop(timeout: @pause) || bell.closed?
              finish_sweep if @pause == BUSY
              consider if Clock.now - @at >= PAUSE
            end
          end

          private

          def consider
            rate = (GC.count - @count) / (Clock.now - @at)
            grow(busiest) if rate > OFTEN
            @pause = if rate > SOME then BUSY
            else (GC.count == @count) ? [@pause * 2, IDLE].min : PAUSE
            end
            look
          end

          def look
            @at = Clock.now
            @count = GC.count
            @allocated = allocated
          end

          # For each size of slots, how many objects there ever were.
          def allocated = GC.stat_heap.transform_values { |heap| heap[:total_allocated_objects] }

          # The size whose slots are used up most often.
          def busiest
            allocated.max_by { |size, now| (now - @allocated[size]).fdiv(slots(size) + 1) }.first
          end

          def slots(size) = GC.stat_heap(size, :heap_eden_slots)

          def grow(size)
            bytes = GC.stat_heap(size, :slot_size)
            count = [slots(size) * STEP, MOST / bytes].min - slots(size)
            return if count < slots(size) / 4 # it is as large as it may be

            # Arrays of that many words lie in their slots themselves.
            made = Native.grow_heap(count, (bytes - 16) / 8) or return
            @kept.concat(made.first((made.size * KEPT).to_i))
          end

          def finish_sweep
            return if @swept == GC.count

            @swept = GC.count
            Native.finish_sweep
          end
        end
      end
    end
  end
end
