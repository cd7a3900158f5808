# frozen_string_literal: true

# Classic: a worker handles all items, then resets the event that told of them; an item that came
# between the two is not handled. Fixed: reset, then handle.
module SimulationBench
  module EventReset
    class Event
      def initialize
        @lock = Mutex.new
        @changed = ConditionVariable.new
        @set = false
      end

      def set
        @lock.synchronize do
          @set = true
          @changed.broadcast
        end
      end

      def reset = @lock.synchronize { @set = false }

      def wait = @lock.synchronize { @changed.wait(@lock) until @set }
    end

    class Worker
      def initialize
        @event = Event.new
        @items = []
        @handled = []
      end

      def add(item)
        @items.push(item)
        @event.set
      end

      def work(total)
        while @handled.size < total
          @event.wait
          handle
        end
      end

      private

      def handle
        take_all
        @event.reset
      end

      def take_all
        while (item = @items.shift)
          @handled.push(item)
        end
      end
    end

    class ResettingWorker < Worker
      def handle
        @event.reset
        take_all
      end
    end

    def self.run(worker)
      thread = Thread.new { worker.work(2) }
      2.times { |item| worker.add(item) }
      thread.join
    end
  end

  model "event_reset", source: "classic", fault: "an event reset after the work it told of",
    needs: [:preempt], buggy: ->(_sim) { EventReset.run(EventReset::Worker.new) },
    fixed: ->(_sim) { EventReset.run(EventReset::ResettingWorker.new) }
end
