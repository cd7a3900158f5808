# frozen_string_literal: true

require "tzinfo"

module Simulations
  module Jobs
    # Times of a schedule, counted minute by minute: the oracle for changes of clocks.
    class Calendar
      # Zones, with the instants at which their clocks are put forward and back.
      CHANGES = {
        "Europe/Berlin" => [Time.utc(2026, 3, 29, 1), Time.utc(2026, 10, 25, 1)],
        "America/New_York" => [Time.utc(2026, 3, 8, 7), Time.utc(2026, 11, 1, 6)],
        "Australia/Lord_Howe" => [Time.utc(2026, 10, 3, 15, 30), Time.utc(2026, 4, 4, 15)]
      }.freeze
      DAY = 86_400

      # +hours+: nil for each.
      def initialize(zone, minutes, hours = nil)
        @zone = TZInfo::Timezone.get(zone)
        @minutes = minutes
        @hours = hours
      end

      def spec = "#{@minutes.join(",")} #{@hours ? @hours.join(",") : "*"} * * *"

      # After one time, up to another.
      # @return [Array<Time>]
      def between(from, to)
        minutes = (from.to_i / 60 * 60..to.to_i).step(60)
        times = @hours ? fixed(from, to) : minutes.select { even?(_1) }
        times.uniq.sort.select { |at| at > from.to_f && at <= to.to_f }.map { |at| Time.at(at).utc }
      end

      private

      # A schedule of each hour goes on evenly.
      def even?(at) = @minutes.include?(@zone.utc_to_local(Time.at(at).utc).min)

      # Each local time comes once: the first of two, and the end of a gap for one in the gap.
      def fixed(from, to)
        days = ((from - DAY).to_date..(to + DAY).to_date)
        days.to_a.product(@hours, @minutes).map do |day, hour, minute|
          instant(Time.utc(day.year, day.month, day.day, hour, minute))
        end
      end

      def instant(local)
        periods = @zone.periods_for_local(local)
        return local.to_i - periods.map(&:observed_utc_offset).max if periods.any?

        gap = @zone.transitions_up_to(local + DAY, local - DAY).find do |change|
          (local.to_i - change.previous_offset.observed_utc_offset >= change.at.to_i) &&
            (local.to_i - change.offset.observed_utc_offset < change.at.to_i)
        end
        gap.at.to_i
      end
    end
  end
end
