# frozen_string_literal: true

require "delegate"

module Raffia
  class Pool
    class Auto
      # Starts worker processes by doubling their number, each time when those that were started
      # answer. Meanwhile the caller works on: the work may end before all have started.
      class RampUp
        # Seconds of an item from which on all are started at once: their start is short beside it,
        # and the caller's own item would make them wait.
        LONG = 0.01

        # `item`: seconds of an item. `cost`: seconds to start and end a worker.
        def initialize(workers, item, cost)
          @workers = workers
          @item = item
          @cost = cost
          @started = @ready = 0
          @over = false
          @here = false # whether the caller is at a chunk, or about to take one
          @lock = Thread::Mutex.new
          @idle = Thread::ConditionVariable.new
        end

        # A worker answers. The last one waits until the caller has ended its chunk, so that no more
        # are at work than are wanted.
        def ready
          @lock.synchronize do
            @ready += 1
            @idle.wait(@lock) while @here && @ready >= @workers
          end
        end

        def start(coordinator, group, here)
          return group.start(@workers) if @item >= LONG

          slot = GatedSlot.new(here, self)
          while @started < @workers && (@started.zero? || worth?(coordinator.remaining))
            count = @started.clamp(1, @workers - @started)
            @started += count
            group.start(count)
            Executor::WorkerLoop.serve(coordinator, slot, wait: false)
          end
          @over = coordinator.remaining == 0
        ensure
          rest
        end

        def over? = @over

        def grow(group, feed)
          return if @item < LONG && starting?

          before = group.size
          group.grow(feed)
          @started += group.size - before
        end

        def open? = @lock.synchronize { @here = starting? }

        def watch
          yield
        ensure
          rest
          Thread.pass # to the threads of the workers
        end

        private

        def rest
          @lock.synchronize do
            @here = false
            @idle.broadcast
          end
        end

        # One more has to save more than it takes.
        def worth?(left) = left.nil? || left * @item > (@started + 1) * @cost
        def starting? = @ready < @started
      end

      # A slot that asks a watcher for each chunk: +open?+ says whether it may take one, +watch+
      # runs it.
      class GatedSlot < SimpleDelegator
        def initialize(slot, watcher)
          super(slot)
          @watcher = watcher
        end

        def ready? = super && @watcher.open?
        def collect = @watcher.watch { super }
      end
    end
  end
end
