# frozen_string_literal: true

require_relative "lease_table"
require_relative "limits"
require_relative "queues"
require_relative "timeline"
require_relative "uniqueness"

module Raffia
  module Jobs
    module Stores
      class Memory < Store
        # All jobs by their sets, and the moves between these. Callers hold the {Lock}.
        #
        # @api private
        class JobTable
          attr_reader :queues, :uniqueness, :limits, :leases

          # @param batches [Batches] counts jobs that end
          def initialize(batches)
            @batches = batches
            @queues = Queues.new
            @limits = Limits.new
            @leases = LeaseTable.new
            @uniqueness = Uniqueness.new
            @timelines = {scheduled: Timeline.new, retry: Timeline.new, dead: Timeline.new}
            @sets = {queue: @queues, blocked: @limits, running: @leases, **@timelines}
          end

          # @param set [Symbol]
          # @return [#add, #remove, #size, #to_a]
          def [](set) = @sets.fetch(set)

          # Adds a job without a set to the end of one.
          # @param at [Float, nil]
          def put(job, set, at: nil)
            job.at = at
            job.set = set
            self[set].add(job)
          end

          # Adds a job without a set to the front of its queue.
          def put_back(job)
            job.at = nil
            job.set = :queue
            @queues.put_back(job)
          end

          # Takes a job out of its set.
          def take(job)
            self[job.set].remove(job)
            from = job.set
            job.set = :none
            unblock_next(job) if from == :queue
          end

          # Ends a claim. The job has no set then.
          # @return [Job, nil] nil when the claim is not valid any more
          def drop(claim)
            job = @leases.drop(claim) or return
            job.set = :none
            @limits.ended(job)
            unblock_next(job)
            job
          end

          # Counts the end of a job without a set.
          # @param how [Symbol] :done or :dead
          def finish(job, how)
            @uniqueness.ended(job)
            @batches.ended(job.batch, how)
          end

          # Moves a job without a set to `dead`.
          def bury(job)
            put(job, :dead, at: Time.now.to_f)
            finish(job, :dead)
          end

          # Lets the oldest job that this one's limit blocks back into its queue.
          def unblock_next(job)
            blocked = @limits.next(job) or return
            @limits.remove(blocked)
            put_back(blocked)
          end

          # @return [Float, nil] when the next scheduled job or retry is due
          def next_due = [@timelines[:scheduled].next_at, @timelines[:retry].next_at].compact.min
        end
      end
    end
  end
end
