# frozen_string_literal: true

# resque-scheduler#46: the scheduler takes the last job of an instant, sees an empty list and
# deletes it; a job that was pushed between the two is deleted with it. Fixed: both in one step.
module SimulationBench
  module ResqueSchedulerDelete
    class Redis
      def initialize
        @lock = Monitor.new
        @lists = Hash.new { |lists, key| lists[key] = [] }
      end

      def push(key, item) = @lock.synchronize { @lists[key].push(item) }

      def pop(key) = @lock.synchronize { @lists[key].shift }

      def length(key) = @lock.synchronize { @lists[key].size }

      def delete(key) = @lock.synchronize { @lists.delete(key) }

      def multi(&block) = @lock.synchronize(&block)
    end

    class Scheduler
      def initialize(redis) = @redis = redis

      def take(key)
        item = @redis.pop(key)
        clean(key)
        item
      end

      private

      def clean(key)
        @redis.delete(key) if @redis.length(key).zero?
      end
    end

    class AtomicScheduler < Scheduler
      def clean(key) = @redis.multi { super }
    end

    def self.run(type)
      redis = Redis.new
      redis.push(:noon, :first)
      scheduler = Thread.new { type.new(redis).take(:noon) }
      redis.push(:noon, :second)
      jobs = [scheduler.value, redis.pop(:noon)]
      SimulationBench.check(jobs == %i[first second], "a job was lost: #{jobs.inspect}")
    end
  end

  model "resque_scheduler_delete", source: "resque-scheduler#46", fault: "length zero, then delete",
    needs: [:preempt],
    buggy: ->(_sim) { ResqueSchedulerDelete.run(ResqueSchedulerDelete::Scheduler) },
    fixed: ->(_sim) { ResqueSchedulerDelete.run(ResqueSchedulerDelete::AtomicScheduler) }
end
