# frozen_string_literal: true

# Classic (also SCTBench's wronglock): one table, but readers and writers each have a lock of their
# own. Fixed: one lock.
module SimulationBench
  module WrongLock
    class Inventory
      def initialize(reads, writes)
        @reads = reads
        @writes = writes
        @shelves = {left: 5, right: 0}
      end

      def total = @reads.synchronize { @shelves.fetch(:left) + @shelves.fetch(:right) }

      def move
        @writes.synchronize do
          @shelves.store(:left, 4)
          @shelves.store(:right, 1)
        end
      end
    end

    def self.run(reads, writes)
      inventory = Inventory.new(reads, writes)
      reader = Thread.new { inventory.total }
      inventory.move
      total = reader.value
      SimulationBench.check(total == 5, "5 items, but #{total} were counted")
    end
  end

  model "wrong_lock", source: "SCTBench wronglock", fault: "two locks for one table",
    needs: [:preempt], buggy: ->(_sim) { WrongLock.run(Mutex.new, Mutex.new) },
    fixed: ->(_sim) {
      lock = Mutex.new
      WrongLock.run(lock, lock)
    }
end
