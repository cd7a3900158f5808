# frozen_string_literal: true

require_relative "executor_pool"
require_relative "remote_run"

module Raffia
  module Jobs
    class Worker
      class Executors
        # Runs jobs in workers that get no messages while they work, as in Ractors: for classes that
        # keep to a Ractor's rules.
        # @api private
        class RemotePool < ExecutorPool
          # Seconds that a job has to end by itself before its worker is interrupted.
          MARGIN = 2

          # In the worker.
          # @api private
          module Work
            NO_MIDDLEWARE = Middleware.new
            ::Ractor.make_shareable(NO_MIDDLEWARE) if defined?(::Ractor)

            # A Ractor has no keys but those that it is given.
            def self.call(payload, seconds, keyring)
              Setup.current.keys = keyring if keyring
              item = Payload.load(payload)
              job = Execution.job_class(item["class"])
              run = RemoteRun.new(item)
              Execution.with(job, item, NO_MIDDLEWARE, run, seconds)
              run.result
            end
          end

          # Middleware stays here, with an object of the class that does not do the work.
          def call(run, job, seconds)
            return super if @executors.middleware.empty?

            @executors.middleware.call(job.new, run.item) { super }
          end

          # Only at the end of the worker, which is theirs too.
          def interrupt(run, why, by_force) = by_force ? super : :requested

          private

          def keep_result(run, json) = run.result = json
          def outer_limit(seconds) = seconds && seconds + MARGIN
          def pool = Pool.new(on: @name, workers: @size, &Work.method(:call))

          # A worker elsewhere cannot report when the job begins.
          def submit(run, _job, seconds)
            @executors.begin_run(run)
            @pool.submit(run.claim.payload, seconds, Setup.current.keyring)
          end
        end
      end
    end
  end
end
