# frozen_string_literal: true

require_relative "../../base/clock"
require_relative "schedule"

module Raffia
  module Jobs
    module Recurring
      # Enqueues recurring jobs when they are due. Any number of processes may have one: the store
      # sees to it that each time counts once.
      class Ticker
        # Seconds after which the schedule is read again, and after which a clock that was set is
        # noticed.
        LOOK = 15

        # @param schedule [Schedule]
        # @param log [Logger]
        def initialize(schedule, log)
          @schedule = schedule
          @log = log
        end

        # @return [Float] seconds until it is to be called again
        def call
          now = @schedule.now
          began = Clock.now
          following = @schedule.entries.filter_map { |entry| tick(entry, now) }.min
          return LOOK unless following

          (following - now - (Clock.now - began)).clamp(0, LOOK)
        end

        private

        # One that goes wrong does not keep the others.
        def tick(entry, now)
          @schedule.tick(entry, now) { |last| tell(entry, last) }
        rescue StoreUnavailable
          raise
        rescue Raffia::Error => error
          @log.error("the recurring job #{entry.name} could not be enqueued: #{error.message}")
          nil
        end

        def tell(entry, last)
          @log.warn({event: "clock", recurring: entry.name, last: Time.at(last).utc.round,
                     why: "its last time is in the future, by a clock that was wrong: it goes on " \
                       "from now"})
        end
      end
    end
  end
end
