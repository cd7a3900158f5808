# frozen_string_literal: true

require_relative "class_profile"

module Raffia
  module Jobs
    class Worker
      class Executors
        # Runs each class of jobs where its runs have shown to be best done. A class begins on
        # threads, where a run is measured alone and holds up nobody. Most go on in fibers then.
        # Runs in a fiber, and now and then on a thread, are measured again.
        # @api private
        class AutoExecutor
          def initialize(executors, _name)
            @executors = executors
            @profiles = {}
          end

          def call(run, job, seconds)
            profile = @profiles[job.name] ||= ClassProfile.new
            run.on, run.meter = profile.next_run
            @executors.executor(run.on).call(run, job, seconds)
          ensure
            learn(job, profile, run.meter) if run.meter&.wall
          end

          def spare_capacity = nil
          def close = nil

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
