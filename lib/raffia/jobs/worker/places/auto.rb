# frozen_string_literal: true

require_relative "gauge"
require_relative "habit"

module Raffia
  module Jobs
    class Worker
      class Places
        # Where the runs of a class are best done, as they have shown. A class begins on threads:
        # there a run can be measured alone, and holds up nobody. Most go on in fibers then. In a
        # fiber, and now and then on a thread, runs are looked at again.
        #
        # @api private
        class Auto
          # @param places [Places]
          def initialize(places, _size, _limit)
            @places = places
            @habits = {}
          end

          # @return [Object]
          def call(run, job, seconds)
            habit = @habits[job.name] ||= Habit.new
            on, gauge = habit.next_run
            run.on = on
            run.gauge = gauge
            @places.place(on).call(run, job, seconds)
          ensure
            learn(job, habit, gauge) if gauge&.wall
          end

          def spare = nil

          def close = nil

          # @return [Hash{String => Hash}] of each class, where it is done and why
          def account
            @habits.transform_values { |habit| {"on" => habit.on.to_s, "why" => habit.why} }
          end

          private

          def learn(job, habit, gauge)
            before = habit.on
            habit.learn(gauge)
            return if habit.on == before && habit.told?

            @places.log.info({event: "auto", class: job.name, on: habit.on, why: habit.told})
          end
        end
      end
    end
  end
end
