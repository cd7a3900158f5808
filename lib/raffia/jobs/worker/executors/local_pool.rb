# frozen_string_literal: true

require_relative "executor_pool"

module Raffia
  module Jobs
    class Worker
      class Executors
        # Runs jobs on threads: for code that blocks where fibers would not be switched.
        # @api private
        class LocalPool < ExecutorPool
          # Anything may be half done in a thread, so a cancelled job has to ask; one whose worker
          # has to end is interrupted.
          def interrupt(run, why, by_force) = by_force ? super : :requested

          private

          def pool = Pool.new(on: @name, workers: @size)

          def submit(run, job, seconds)
            @pool.submit do
              isolated do
                Run.adopt(run)
                run.fiber = ::Fiber.current
                @executors.perform(run, job, seconds)
              end
            end
          end

          # Each job has fiber storage and Thread.current[] of its own.
          def isolated(&) = ::Fiber.new(blocking: true, storage: {}, &).resume
        end
      end
    end
  end
end
