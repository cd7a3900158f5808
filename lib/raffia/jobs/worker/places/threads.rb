# frozen_string_literal: true

require_relative "pooled"

module Raffia
  module Jobs
    class Worker
      class Places
        # In threads: for code that blocks where fibers would not be switched, in C that frees
        # Ruby's lock for example.
        #
        # @api private
        class Threads < Pooled
          # Anything may be half done in a thread, so a job that somebody cancels is only told; one
          # whose worker has to end is interrupted.
          def interrupt(run, why, by_force) = by_force ? super : :told

          private

          def pool = Pool.new(on: :threads, workers: @size)

          def submit(run, job, seconds)
            @pool.submit do
              apart { seconds ? Raffia.timeout(seconds) { perform(run, job) } : perform(run, job) }
            end
          end

          def perform(run, job)
            Run.adopt(run)
            run.fiber = ::Fiber.current
            @places.perform(run, job)
          end

          # Other jobs come to the same thread: what this one keeps in fiber storage, or under
          # Thread.current[], is its own.
          def apart(&) = ::Fiber.new(blocking: true, storage: {}, &).resume
        end
      end
    end
  end
end
