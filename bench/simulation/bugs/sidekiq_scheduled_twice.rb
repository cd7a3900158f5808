# frozen_string_literal: true

# sidekiq#1495: two pollers read the first due job, each removes it and queues it. Fixed: only the
# one whose removal removed something queues it.
module SimulationBench
  module SidekiqScheduledTwice
    class Poller
      def initialize(schedule, queue)
        @schedule = schedule
        @queue = queue
      end

      def poll
        job = first_due
        return unless job

        removed = @schedule.delete(job)
        @queue.push(job) if mine?(removed)
      end

      private

      def first_due = @schedule.keys.first

      def mine?(_removed) = true
    end

    class CheckingPoller < Poller
      def mine?(removed) = removed
    end

    def self.run(type)
      schedule = {mail: true}
      queue = Queue.new
      Array.new(2) { Thread.new { type.new(schedule, queue).poll } }.each(&:join)
      SimulationBench.check(queue.size == 1, "one job was queued #{queue.size} times")
    end
  end

  model "sidekiq_scheduled_twice", source: "sidekiq#1495",
    fault: "read, then remove, by two pollers",
    needs: [:preempt],
    buggy: ->(_sim) { SidekiqScheduledTwice.run(SidekiqScheduledTwice::Poller) },
    fixed: ->(_sim) { SidekiqScheduledTwice.run(SidekiqScheduledTwice::CheckingPoller) }
end
