# frozen_string_literal: true

# Classic: a writer waits until no reader is inside, but writes after it gave up the lock of the
# count; a reader that enters meanwhile sees half of the write. Fixed: write under that lock.
module SimulationBench
  module ReadersWriter
    class Pair
      def initialize
        @lock = Mutex.new
        @left = ConditionVariable.new
        @readers = 0
        @values = {x: 0, y: 0}
      end

      def read
        @lock.synchronize { @readers += 1 }
        @values.values_at(:x, :y)
      ensure
        leave
      end

      def write(value)
        @lock.synchronize { wait_for_readers }
        store(value)
      end

      private

      def leave
        @lock.synchronize do
          @readers -= 1
          @left.signal
        end
      end

      def wait_for_readers
        @left.wait(@lock) until @readers.zero?
      end

      def store(value)
        @values.store(:x, value)
        @values.store(:y, value)
      end
    end

    class LockedPair < Pair
      def write(value)
        @lock.synchronize do
          wait_for_readers
          store(value)
        end
      end
    end

    def self.run(pair)
      reader = Thread.new { pair.read }
      pair.write(1)
      x, y = reader.value
      SimulationBench.check(x == y, "read #{x} and #{y}, which were never written together")
    end
  end

  model "readers_writer", source: "classic", fault: "writes after it left the lock",
    needs: [:preempt], buggy: ->(_sim) { ReadersWriter.run(ReadersWriter::Pair.new) },
    fixed: ->(_sim) { ReadersWriter.run(ReadersWriter::LockedPair.new) }
end
