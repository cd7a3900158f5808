# frozen_string_literal: true

require_relative "../../../pool"

module Raffia
  module Jobs
    class Worker
      class Places
        # In workers of a pool, while the run's own fiber waits.
        #
        # @api private
        class Pooled
          # Jobs that there may be for each worker: one that it does, and one that waits, so that it
          # need not.
          LINE = 2
          # Seconds that what was interrupted has to end, before it is given up.
          GRACE = 5

          # @param places [Places]
          # @param size [Integer] workers
          # @param _limit [Integer] jobs that there can be at a time
          def initialize(places, size, _limit)
            @places = places
            @size = size
            @pool = pool
            @futures = {}.compare_by_identity
          end

          # @return [Object]
          # @raise [Crowded]
          def call(run, job, seconds)
            raise Crowded if spare <= 0

            @futures[run] = nil # others may come while this one is handed in
            future = @futures[run] = submit(run, job, seconds)
            limit = backstop(seconds)
            limit ? Raffia.timeout(limit) { future.value } : future.value
          ensure
            @futures.delete(run)
            end_of(future) if future && !future.done?
          end

          def interrupt(run, why, _by_force) = @futures[run]&.cancel(why) || run.break_off(why)

          def spare = @size * LINE - @futures.size

          def close = @pool.terminate

          private

          # Where the job itself keeps to its time there is nothing else to do.
          def backstop(_seconds) = nil

          def end_of(future)
            future.cancel(:timeout)
            Raffia.shield { future.wait(GRACE) }
          end
        end
      end
    end
  end
end
