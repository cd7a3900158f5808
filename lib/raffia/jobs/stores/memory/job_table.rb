# frozen_string_literal: true

require_relative "blocked_set"
require_relative "flow_table"
require_relative "lease_table"
require_relative "limits"
require_relative "queues"
require_relative "rate_table"
require_relative "tenant_pauses"
require_relative "timeline"
require_relative "uniqueness"

module Raffia
  module Jobs
    module Stores
      class Memory < Store
        # All jobs by their sets, and the moves between sets.
        # @api private
        class JobTable
          attr_reader :queues, :uniqueness, :limits, :rates, :pauses, :leases, :flows

          def initialize(batches, workflows)
            @batches = batches
            @workflows = workflows
            @queues = Queues.new
            @limits = Limits.new
            @rates = RateTable.new
            @pauses = TenantPauses.new
            @leases = LeaseTable.new
            @flows = FlowTable.new
            @uniqueness = Uniqueness.new
            @timelines = {scheduled: Timeline.new, retry: Timeline.new, dead: Timeline.new}
            blocked = BlockedSet.new(@limits, @rates, @pauses)
            @sets = {queue: @queues, blocked: blocked, running: @leases, **@timelines}
          end

          def [](set) = @sets.fetch(set)

          # All jobs of a set; of :queue, those of one queue or all.
          def list(set, queue = nil) = (set == :queue) ? @queues.to_a(queue) : self[set].to_a

          # Adds a job without a set to the end of one.
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

          # Ends a job that waits again, when its workflow was cancelled meanwhile.
          def drop_cancelled(job)
            return if job.workflow.nil? || job.flow || !@workflows.cancelling?(job.workflow["id"])

            take(job)
            finish(job, :dead)
          end

          # Takes a job out of its set.
          def take(job)
            self[job.set].remove(job)
            from = job.set
            job.set = :none
            unblock_next(job) if from == :queue
          end

          # Ends a claim: the job has no set then. Nil when the claim is not valid any more.
          def drop(claim)
            job = @leases.drop(claim) or return
            job.set = :none
            @limits.ended(job)
            unblock_next(job)
            job
          end

          # Counts the end of a job without a set: `how` is :done or :dead.
          def finish(job, how, result = nil)
            @uniqueness.ended(job)
            @batches.ended(job.batch, how)
            parent = job.flow && @flows.job_ended(job, how)
            wake(parent) if parent
            @workflows.ended(job, how, result) if job.workflow
          end

          # Moves the job of a flow that waits to its queue.
          def wake(flow)
            job = flow.job
            return unless flow.status == "waiting" && job.set == :scheduled

            take(job)
            flow.status = "running"
            job.payload = Store::Rewrite.queued(job.payload)
            put(job, :queue)
          end

          # Moves a job without a set to `dead`.
          def bury(job)
            put(job, :dead, at: Time.now.to_f)
            finish(job, :dead)
          end

          # Returns the oldest job that this one's limit blocks to its queue.
          def unblock_next(job)
            blocked = @limits.next(job) or return
            @limits.remove(blocked)
            put_back(blocked)
          end

          # Moves jobs whose rate is open to the front of their queues, in their old order.
          def unblock_rated(now, ahead: false)
            @rates.due(now, ahead).reverse_each do |job|
              job.rated = nil
              put_back(job)
            end
          end

          # When the next scheduled job or retry is due, or a rate opens.
          def next_due(rates: true)
            [@timelines[:scheduled].next_at, @timelines[:retry].next_at, (@rates.next_at if rates)]
              .compact.min
          end
        end
      end
    end
  end
end
