# frozen_string_literal: true

module Raffia
  module Executor
    module Ractors
      class HeapTuner
        # Measures collections and allocations, and acts on them, in the thread of a {HeapTuner}.
        class Monitor
          def initialize
            @pause = PAUSE
            @kept = []
            @swept = GC.count
            measure
          end

          def run(stop)
            until stop.pop(timeout: @pause) || stop.closed?
              finish_sweep if @pause == BUSY
              adjust if Clock.now - @at >= PAUSE
            end
          end

          private

          def adjust
            rate = (GC.count - @count) / (Clock.now - @at)
            grow(busiest) if rate > GROW_RATE
            @pause = if rate > SWEEP_RATE then BUSY
            else (GC.count == @count) ? [@pause * 2, IDLE].min : PAUSE
            end
            measure
          end

          def measure
            @at = Clock.now
            @count = GC.count
            @allocated = allocated
          end

          # Objects that there ever were, for each size of slots.
          def allocated = GC.stat_heap.transform_values { |heap| heap[:total_allocated_objects] }

          # The size whose slots are used up most often.
          def busiest
            allocated.max_by { |size, now| (now - @allocated[size]).fdiv(slots(size) + 1) }.first
          end

          def slots(size) = GC.stat_heap(size, :heap_eden_slots)

          def grow(size)
            bytes = GC.stat_heap(size, :slot_size)
            count = [slots(size) * STEP, MAX_BYTES / bytes].min - slots(size)
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
