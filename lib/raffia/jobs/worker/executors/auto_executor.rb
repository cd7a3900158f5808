# frozen_string_literal: true

require_relative "class_profile"
require_relative "meter"

module Raffia
  module Jobs
    class Worker
      class Executors
        # Runs each class of jobs where its runs have shown to be best done. A class begins on
        # threads: there a run is measured alone, and holds up nobody. Most go on in fibers then. In
        # a fiber, and now and then on a thread, runs are measured again.
        #
        # @api private
        class AutoExecutor
          def initialize(executors, _name)
            @executors = executors
            @profiles = {}
          end

          # @return [Object]
          def call(run, job, seconds)
            profile = @profiles[job.name] ||= ClassProfile.new
            on, meter = profile.next_run
            run.on = on
            run.meter = meter
            @executors.executor(on).call(run, job, seconds)
          ensure
            learn(job, profile, meter) if meter&.wall
          end

          def spare_capacity = nil
          def close = nil

          # @return [Hash{String => Hash}] of each class, its executor and why
          def account
            @profiles.transform_values { |profile| {"on" => profile.on.to_s, "why" => profile.why} }
          end

          private

          def learn(job, profile, meter)
            before = profile.on
            profile.learn(meter)
            return if profile.on == before && profile.explained?

            @executors.log.info({event: "auto", class: job.name, on: profile.on,
                                 why: profile.explain})
          end
        end
      end
    end
  end
end
