# frozen_string_literal: true

require_relative "schedule"

module Raffia
  module Jobs
    module Recurring
      # Enqueues due recurring jobs, in any number of processes: the store makes each time count
      # once.
      # @api private
      class Ticker
        # Seconds after which the schedule is read again, and an adjusted clock is noticed.
        INTERVAL = 15

        def initialize(schedule, log)
          @schedule = schedule
          @log = log
        end

        # Returns seconds until the next call.
        def call
          now = @schedule.now
          began = Clock.now
          following = @schedule.entries.filter_map { |entry| tick(entry, now) }.min
          return INTERVAL unless following

          (following - now - (Clock.now - began)).clamp(0, INTERVAL)
        end

        private

        # A faulty entry does not stop the others.
        def tick(entry, now)
          @schedule.tick(entry, now) { |last| log_clock(entry, last) }
        rescue StoreUnavailable
          raise
        rescue Raffia::Error => error
          @log.error("the recurring job #{entry.name} could not be enqueued: #{error.message}")
          nil
        end

        def log_clock(entry, last)
          @log.warn({event: "clock", recurring: entry.name, last: Time.at(last).utc.round,
                     why: "its last time is in the future, by a clock that was wrong: it goes on " \
                       "from now"})
        end
      end
    end
  end
end
