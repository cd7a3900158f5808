# frozen_string_literal: true

# Classic: a counter is read in one call and written in another; a thread that runs between the two
# loses its increment. Fixed: one lock around both.
module SimulationBench
  module LostUpdate
    class Counter
      def initialize = @table = {n: 0}

      def increment = @table.store(:n, @table.fetch(:n) + 1)

      def count = @table.fetch(:n)
    end

    class LockedCounter < Counter
      def initialize
        super
        @lock = Mutex.new
      end

      def increment = @lock.synchronize { super }
    end

    def self.run(counter)
      Array.new(2) { Thread.new { 2.times { counter.increment } } }.each(&:join)
      SimulationBench.check(counter.count == 4, "4 increments, but the count is #{counter.count}")
    end
  end

  model "lost_update", source: "classic", fault: "read and write in two calls", needs: [:preempt],
    buggy: ->(_sim) { LostUpdate.run(LostUpdate::Counter.new) },
    fixed: ->(_sim) { LostUpdate.run(LostUpdate::LockedCounter.new) }
end
