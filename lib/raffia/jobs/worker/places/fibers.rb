# frozen_string_literal: true

module Raffia
  module Jobs
    class Worker
      class Places
        # In the run's own fiber.
        #
        # @api private
        class Fibers
          def initialize(places, _size, _limit) = @places = places

          def call(run, job, seconds)
            return perform(run, job) unless seconds

            Raffia.timeout(seconds) { perform(run, job) }
          end

          def interrupt(run, why, _by_force) = run.break_off(why)

          def spare = nil

          def close = nil

          private

          def perform(run, job) = @places.perform(run, job)
        end
      end
    end
  end
end
