# frozen_string_literal: true

require_relative "../../base/clock"
require_relative "../../native"

module Raffia
  module Executor
    module Ractors
      # Keeps collections of the shared heap rare while Ractors work.
      #
      # Up to Ruby 3.4 all Ractors share one heap, and stop for each collection and each step of a
      # sweep. A small heap is full after a millisecond: two Ractors that add up big numbers stop
      # for each other twenty thousand times a second. When collections come that often, a thread
      # does two things:
      #
      # * It gives the heap more slots of the size in question, which Ruby does only when much
      # survives.
      #   Some are kept, because Ruby takes pages back when more than 65 in 100 slots are free.
      # * It finishes a sweep in one go, for which the Ractors need not stop.
      class HeapTuner
        # Seconds between two measurements: at first, at most when nothing is collected, and while
        # sweeps are finished.
        PAUSE = 0.05
        IDLE = 1.0
        BUSY = 0.002
        # Collections in a second from which on the heap grows, and sweeps are finished.
        GROW_RATE = 50
        SWEEP_RATE = 10
        # Growth factor of the slots of one size, and the most bytes of them.
        STEP = 6
        MAX_BYTES = 16 * 1024 * 1024
        KEPT = 0.4

        def initialize
          @lock = Thread::Mutex.new
          @users = 0
        end

        # The first Ractor starts the thread, the last one ends it.
        def enter
          @lock.synchronize do
            @users += 1
            start if @users == 1
          end
        end

        def leave
          thread, stop = @lock.synchronize { [@thread, @stop] if (@users -= 1).zero? }
          stop&.close
          thread&.join
        end

        private

        def start
          return unless Native.respond_to?(:grow_heap)

          stop = @stop = Thread::Queue.new
          @thread = Thread.new do
            Thread.current.name = "raffia heap"
            Monitor.new.run(stop)
          end
        end

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
