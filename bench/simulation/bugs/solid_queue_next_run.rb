# frozen_string_literal: true

# solid_queue e43f204: the next run of a recurring task is computed from a second reading of the
# wall clock; if the clock was set back meanwhile, the same run is enqueued twice. Fixed: compute it
# from the run that was due.
module SimulationBench
  module SolidQueueNextRun
    class WallClock
      attr_reader :now

      def initialize
        @lock = Mutex.new
        @now = 0
      end

      def sleep_until(time) = @lock.synchronize { @now = [@now, time].max }

      def set_back = @lock.synchronize { @now -= 1 }
    end

    class Recurring
      attr_reader :runs

      def initialize(clock)
        @clock = clock
        @runs = []
      end

      def work
        due = following(@clock.now)
        2.times do
          @clock.sleep_until(due)
          @runs.push(due)
          due = next_run(due)
        end
      end

      private

      def following(time) = (time / 10 + 1) * 10

      def next_run(_due) = following(@clock.now)
    end

    class SteadyRecurring < Recurring
      def next_run(due) = following(due)
    end

    def self.run(type)
      clock = WallClock.new
      recurring = type.new(clock)
      administrator = Thread.new { clock.set_back }
      recurring.work
      administrator.join
      SimulationBench.check(recurring.runs.uniq.size == 2, "enqueued #{recurring.runs.inspect}")
    end
  end

  model "solid_queue_next_run", source: "solid_queue e43f204",
    fault: "clock set back between two readings",
    needs: %i[preempt time],
    buggy: ->(_sim) { SolidQueueNextRun.run(SolidQueueNextRun::Recurring) },
    fixed: ->(_sim) { SolidQueueNextRun.run(SolidQueueNextRun::SteadyRecurring) }
end
