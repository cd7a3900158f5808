# frozen_string_literal: true

require_relative "../../base/clock"
require_relative "../../native"

module Raffia
  module Executor
    module Ractors
      # Keeps collections of the shared heap rare while Ractors work.
      #
      # Up to Ruby 3.4 all Ractors share one heap, and stop for each collection and for each step of
      # the sweep after it. A small heap is full again after a millisecond: two Ractors that add up
      # big numbers stop for each other twenty thousand times a second. When collections come that
      # often, a thread does two things about it:
      #
      # * It gives the heap more slots of the size in question. Ruby grows a heap only when much
      #   survives, so the slots are filled without a collection. Most are freed again at once; some
      #   are kept, because Ruby takes pages back when more than 65 in 100 slots are free.
      # * It finishes a sweep in one go, for which the Ractors need not stop; so they find their
      #   next free slots without a stop as well.
      class HeapTuner
        # Seconds between two measurements: at first, at most when nothing is collected, and while
        # sweeps are finished.
        PAUSE = 0.05
        IDLE = 1.0
        BUSY = 0.002
        # Collections in a second from which on the heap grows, and from which on sweeps are
        # finished.
        GROW_RATE = 50
        SWEEP_RATE = 10
        # Growth factor of the slots of one size, and the most bytes of them.
        STEP = 6
        MAX_BYTES = 16 * 1024 * 1024
        # The share of new slots that is kept.
        KEPT = 0.4

        def initialize
          @lock = Thread::Mutex.new
          @users = 0
        end

        # One more Ractor works. The first one starts the thread.
        def enter
          @lock.synchronize do
            @users += 1
            start if @users == 1
          end
        end

        # One less. The last one ends the thread.
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
      end
    end
  end
end

require_relative "heap_tuner/monitor"
