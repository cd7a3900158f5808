# frozen_string_literal: true

# Classic: a barrier for rounds, whose count goes back to zero for the next round; a fast thread
# enters that round before a slow one has seen the zero, so the slow one stays in the first round.
# Fixed: each round has a number, and a waiter waits until the number changes.
module SimulationBench
  module BarrierReset
    class Barrier
      def initialize(parties)
        @parties = parties
        @lock = Mutex.new
        @complete = ConditionVariable.new
        @count = 0
        @round = 0
      end

      def wait
        @lock.synchronize do
          @count += 1
          (@count == @parties) ? finish : wait_for_others
        end
      end

      private

      def finish
        @count = 0
        @round += 1
        @complete.broadcast
      end

      def wait_for_others
        @complete.wait(@lock) until @count.zero?
      end
    end

    class RoundBarrier < Barrier
      def wait_for_others
        round = @round
        @complete.wait(@lock) while @round == round
      end
    end

    def self.run(barrier)
      Array.new(2) { Thread.new { 2.times { barrier.wait } } }.each(&:join)
    end
  end

  model "barrier_reset", source: "classic", fault: "count reset before all have left",
    needs: [:preempt], buggy: ->(_sim) { BarrierReset.run(BarrierReset::Barrier.new(2)) },
    fixed: ->(_sim) { BarrierReset.run(BarrierReset::RoundBarrier.new(2)) }
end
