# frozen_string_literal: true

module Raffia
  module Jobs
    class Worker
      class Executors
        # Runs jobs in the workers of a pool, while each run's own fiber waits.
        #
        # @api private
        class ExecutorPool
          # More jobs were claimed than can have a turn soon: other workers take them.
          class Saturated < StandardError
          end

          # Jobs for each worker: one that it does, and one that waits, so that it need not.
          JOBS_PER_WORKER = 2
          # Seconds that an interrupted job has to end, before it is given up.
          GRACE = 5

          def initialize(executors, name)
            @executors = executors
            @name = name
            @size = executors.sizes.fetch(name) { Executor::Cpus.count }
            @pool = pool
            @futures = {}.compare_by_identity
          end

          def call(run, job, seconds)
            raise Saturated if spare_capacity <= 0

            @futures[run] = nil # others may come while this one is submitted
            future = @futures[run] = submit(run, job, seconds)
            limit = outer_limit(seconds)
            keep_result(run, limit ? Raffia.timeout(limit) { future.value } : future.value)
          ensure
            @futures.delete(run)
            give_up(future) if future && !future.done?
          end

          def interrupt(run, why, _by_force) = @futures[run]&.cancel(why) || run.cancel(why)
          def spare_capacity = @size * JOBS_PER_WORKER - @futures.size
          def close = @pool.terminate

          private

          # Another process or Ractor answers with the job's result.
          def keep_result(_run, _value) = nil

          # Seconds after which the job is ended from here; nil where it keeps to its time by
          # itself.
          def outer_limit(_seconds) = nil

          def give_up(future)
            future.cancel(:timeout)
            Raffia.shield { future.wait(GRACE) }
          end
        end
      end
    end
  end
end
