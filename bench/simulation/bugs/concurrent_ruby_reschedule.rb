# frozen_string_literal: true

# concurrent-ruby#1099: reschedule locks the task, then the timer set; the timer's thread locks the
# set, then the task. Fixed: reschedule leaves the task's lock before it goes to the set.
module SimulationBench
  module ConcurrentRubyReschedule
    class TimerSet
      def initialize
        @lock = Monitor.new
        @tasks = []
      end

      def add(task) = @lock.synchronize { @tasks.push(task) }

      def run_due = @lock.synchronize { @tasks.shift&.execute }
    end

    class Task
      def initialize(timers)
        @lock = Monitor.new
        @timers = timers
        @state = :pending
      end

      def execute = @lock.synchronize { @state = :done }

      def reschedule = @lock.synchronize { reschedulable? && @timers.add(self) }

      private

      def reschedulable? = @state == :pending
    end

    class UnlockingTask < Task
      def reschedule
        again = @lock.synchronize { reschedulable? }
        @timers.add(self) if again
      end
    end

    def self.run(type)
      timers = TimerSet.new
      task = type.new(timers)
      timers.add(task)
      timer = Thread.new { timers.run_due }
      task.reschedule
      timer.join
    end
  end

  model "concurrent_ruby_reschedule", source: "concurrent-ruby#1099",
    fault: "task, then timer set; timer set, then task", needs: [:preempt],
    buggy: ->(_sim) { ConcurrentRubyReschedule.run(ConcurrentRubyReschedule::Task) },
    fixed: ->(_sim) { ConcurrentRubyReschedule.run(ConcurrentRubyReschedule::UnlockingTask) }
end
