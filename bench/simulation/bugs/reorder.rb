# frozen_string_literal: true

# SCTBench's reorder: four setters write two variables one after the other, and one checker reads
# both between two writes. Fixed: a lock around both writes and both reads.
module SimulationBench
  module Reorder
    class Variables
      def initialize
        @lock = Mutex.new
        @a = 0
        @b = 0
      end

      def set
        write_a
        write_b
      end

      def read = [read_a, read_b]

      private

      def write_a = @a = 1

      def write_b = @b = -1

      def read_a = @a

      def read_b = @b
    end

    class LockedVariables < Variables
      def set = @lock.synchronize { super }

      def read = @lock.synchronize { super }
    end

    def self.run(variables)
      setters = Array.new(4) { Thread.new { variables.set } }
      pair = Thread.new { variables.read }.value
      setters.each(&:join)
      SimulationBench.check([[0, 0], [1, -1]].include?(pair), "read #{pair}")
    end
  end

  model "reorder", source: "SCTBench reorder_5", fault: "two writes seen apart",
    needs: [:preempt], buggy: ->(_sim) { Reorder.run(Reorder::Variables.new) },
    fixed: ->(_sim) { Reorder.run(Reorder::LockedVariables.new) }
end
