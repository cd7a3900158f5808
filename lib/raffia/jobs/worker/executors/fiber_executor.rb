# frozen_string_literal: true

module Raffia
  module Jobs
    class Worker
      class Executors
        # Runs a job in the run's own fiber.
        #
        # @api private
        class FiberExecutor
          def initialize(executors, _name) = @executors = executors

          def call(run, job, seconds)
            return @executors.perform(run, job) unless seconds

            Raffia.timeout(seconds) { @executors.perform(run, job) }
          end

          def interrupt(run, why, _by_force) = run.cancel(why)
          def spare_capacity = nil
          def close = nil
        end
      end
    end
  end
end
