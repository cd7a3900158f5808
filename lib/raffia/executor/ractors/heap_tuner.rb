# frozen_string_literal: true

require_relative "../../base/clock"
require_relative "../../native"

module Raffia
  module Executor
    module Ractors
      # Looks after the heap while Ractors work.
      #
      # Up to Ruby 3.4 all Ractors share one heap, and stop for each collection and for each step of
      # the sweep after it. A small heap is full again after a millisecond: two Ractors that add up
      # big numbers stop for each other twenty thousand times a second. When collections come that
      # often, two things are done about it, beside the work.
      #
      # The heap gets more slots of the size in question. Ruby lets it grow only when much survives,
      # so they are filled without collecting. Most are given up again at once, and some are kept,
      # because Ruby takes pages back when more than 65 in 100 slots are free. With the call the rest
      # goes too.
      #
      # And a sweep that was begun is finished in one go, for which the Ractors need not stop; so they
      # find their next free slots without a stop as well.
      #
      # @api private
      class HeapTuner
        # Seconds between two looks: to begin with, at most when nothing is collected, and while
        # sweeps are to be finished.
        PAUSE = 0.05
        IDLE = 1.0
        BUSY = 0.002
        # Collections in a second from which on the heap grows, and from which on sweeps are finished.
        OFTEN = 50
        SOME = 10
        # By how much a kind of slots grows at a time, and the bytes that it may have in all.
        STEP = 6
        MOST = 16 * 1024 * 1024
        # The share of what was made that is kept.
        KEPT = 0.4

        def initialize
          @lock = Thread::Mutex.new
          @users = 0
        end

        # One more Ractor works. The first one has us look.
        # @return [void]
        def enter
          @lock.synchronize do
            @users += 1
            @keeper = keeper if @users == 1
          end
        end

        # One less. When it was the last nothing stays behind.
        # @return [void]
        def leave
          keeper, bell = @lock.synchronize { [@keeper, @bell] if (@users -= 1).zero? }
          bell&.close
          keeper&.join
        end

        private

        def keeper
          return unless Native.respond_to?(:grow_heap)

          bell = @bell = Thread::Queue.new
          Thread.new do
            Thread.current.name = "raffia heap"
            Monitor.new.run(bell)
          end
        end
      end
    end
  end
end

require_relative "heap_tuner/monitor"
