# frozen_string_literal: true

require_relative "executor_pool"
require_relative "remote_run"
require_relative "shared_status"

module Raffia
  module Jobs
    class Worker
      class Executors
        # Runs jobs in forked processes, which have loaded the application: for Ruby code that
        # computes, and for jobs that may have to be killed.
        # @api private
        class ProcessPool < ExecutorPool
          # Seconds that a job has to end by itself before its process is killed.
          MARGIN = 2

          def initialize(executors, name)
            # Before the processes are forked.
            @statuses = SharedStatus.several(executors.sizes[:fibers])
            @free = @statuses.dup
            @taken = {}.compare_by_identity
            super
          end

          def call(run, job, seconds)
            status = @taken[run] = @free.pop.clear
            super
          ensure
            @free.push(status) if @taken.delete(run)
          end

          # Its process is killed.
          def interrupt(run, why, by_force)
            @taken[run]&.request(why)
            super
          end

          def announce_stop
            @taken.each_value { |status| status.request(:stopping) unless status.requested? }
          end

          def progress(run) = @taken[run]&.progress

          private

          def keep_result(run, json) = run.result = json
          def outer_limit(seconds) = seconds && seconds + MARGIN

          def pool
            Pool.new(on: @name, workers: @size) do |payload, seconds, index, slot|
              @executors.shared_lease.begin(slot) if slot
              work(Payload.load(payload), seconds, @statuses[index])
            end
          end

          # Returns what the job has for later steps of its workflow: the value of `perform` is not
          # wanted, and may be large.
          def work(item, seconds, status)
            job = Execution.job_class(item["class"])
            run = Run.adopt(RemoteRun.new(item, @executors.store, status))
            Execution.with(job, item, @executors.middleware, run, seconds)
            run.result
          end

          def submit(run, _job, seconds)
            @pool.submit(run.claim.payload, seconds, @taken[run].index, run.slot)
          end
        end
      end
    end
  end
end
