# frozen_string_literal: true

# Classic: a thread is killed while it waits for a place; it stays counted as waiting, and the next
# free place is kept for it. Fixed: count it out in `ensure`.
module SimulationBench
  module KilledWaiter
    class Room
      attr_reader :waiting

      def initialize
        @lock = Mutex.new
        @left = ConditionVariable.new
        @taken = false
        @waiting = 0
      end

      def enter
        @lock.synchronize do
          wait while @taken
          @taken = true
        end
      end

      def leave
        @lock.synchronize do
          @taken = false
          @left.signal
        end
      end

      private

      def wait
        @waiting += 1
        @left.wait(@lock)
        @waiting -= 1
      end
    end

    class EnsuringRoom < Room
      def wait
        @waiting += 1
        @left.wait(@lock)
      ensure
        @waiting -= 1
      end
    end

    def self.run(room)
      room.enter
      guest = Thread.new { room.enter && room.leave }
      guest.kill
      guest.join
      room.leave
      SimulationBench.check(room.waiting.zero?, "nobody is there, but #{room.waiting} wait")
    end
  end

  model "killed_waiter", source: "classic", fault: "a killed thread stays counted as waiting",
    needs: [:interrupt], buggy: ->(_sim) { KilledWaiter.run(KilledWaiter::Room.new) },
    fixed: ->(_sim) { KilledWaiter.run(KilledWaiter::EnsuringRoom.new) }
end
