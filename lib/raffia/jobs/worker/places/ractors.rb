# frozen_string_literal: true

require_relative "outside"
require_relative "pooled"

module Raffia
  module Jobs
    class Worker
      class Places
        # In Ractors of this process: for classes whose code keeps to their rules. A Ractor cannot
        # be ended, nor told anything while it works.
        #
        # @api private
        class Ractors < Pooled
          # Seconds that a job has to end by itself when its time is up, before its Ractor is left
          # to itself.
          MARGIN = 2

          # In the Ractor.
          # @api private
          module Work
            NONE = ::Ractor.make_shareable(Middleware.new)

            # @return [nil]
            def self.call(payload, seconds)
              item = Payload.load(payload)
              job = Perform.job_class(item["class"])
              run = Outside.new(item)
              if seconds
                Raffia.timeout(seconds) { Perform.with(job, item, NONE, run) }
              else
                Perform.with(job, item, NONE, run)
              end
              nil
            end
          end

          # Middleware stays here: it is around the waiting, with an object of the class that does
          # not do the work.
          def call(run, job, seconds)
            return super if @places.middleware.empty?

            @places.middleware.call(job.new, run.item) { super }
          end

          # Only at the end of the worker, which is theirs too.
          def interrupt(run, why, by_force) = by_force ? super : :told

          private

          def backstop(seconds) = seconds && seconds + MARGIN

          def pool = Pool.new(on: :ractors, workers: @size, &Work.method(:call))

          # Nothing in a Ractor can tell when it begins.
          def submit(run, _job, seconds)
            run.enter
            @pool.submit(run.claim.payload, seconds)
          end
        end
      end
    end
  end
end
