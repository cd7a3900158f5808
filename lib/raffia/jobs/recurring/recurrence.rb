# frozen_string_literal: true

module Raffia
  module Jobs
    module Recurring
      # When something recurs: "0 9 * * 1-5", "every day at noon", "every 90 seconds".
      #
      # When clocks change, a schedule with fixed hours behaves as in cron(8): a time in the skipped
      # hour comes right after it, and one in the repeated hour comes once. Others go on evenly.
      #
      # @api private
      class Recurrence
        # Counted from 1970, so that all processes agree.
        INTERVAL = /\Aevery (\d+(?:\.\d+)?) ?(s|sec|seconds?|m|min|minutes?|h|hours?)\z/
        UNITS = {"s" => 1, "m" => 60, "h" => 3600}.freeze
        # Seconds before the end that are searched first.
        SPAN = 3600
        # Seconds that clocks are put back, at most.
        LONGEST = 86_400
        private_constant :INTERVAL, :UNITS, :SPAN, :LONGEST

        attr_reader :spec

        # Cron, or words; a number is an interval in seconds. No zone: that of the spec, else the
        # machine's. Raises {ConfigError}.
        def initialize(spec, zone: nil)
          @spec = spec.to_s
          @interval = interval(spec)
          return if @interval

          Optional.gem("fugit", ">= 1.11", for: "recurring jobs")
          invalid("it is empty, or a time zone alone") if empty?
          @cron = ::Fugit.parse_cronish([@spec, *zone].join(" ")) ||
            ::Fugit.parse_cronish(@spec) && invalid("no time zone of that name: #{zone}")
          invalid("neither cron nor words that are understood") unless @cron
          @zone = @cron.timezone || ::EtOrbi.determine_local_tzone
        end

        # The next time, nil: never again. Times are seconds since 1970.
        def next(after)
          return (after / @interval).floor * @interval + @interval if @interval

          # It stays the next one until it has come, and a search costs milliseconds.
          from, found = @last_search
          return found if from && after >= from && after < found

          found = search(after)
          @last_search = [after, found] if found
          found
        end

        # Times after +from+, up to +to+; at most +limit+, the latest.
        def between(from, to, limit: 1000)
          first = self.next(from)
          return [] unless first && first <= to

          # From the end: the beginning may be years ago, and each time costs part of a millisecond.
          span = SPAN
          while (start = to - span) > from
            found = walk(start, to)
            return found.last(limit) if found.size >= limit

            span *= 4
          end
          walk(from, to).last(limit)
        end

        private

        def search(after)
          regular = following(after)
          skipped(after, regular || after + 86_400 * 366) || regular
        end

        def walk(from, to)
          found = []
          found << from while (from = self.next(from)) && from <= to
          found
        end

        def interval(spec)
          seconds = if spec.is_a?(Numeric)
            spec.to_f
          elsif (match = INTERVAL.match(spec.to_s.strip))
            match[1].to_f * UNITS.fetch(match[2][0])
          end
          invalid("an interval must be a second at least") if seconds && seconds < 1
          seconds
        end

        # fugit reads it as each minute; most often a variable was not set.
        def empty? = @spec.strip.empty? || !::EtOrbi.get_tzone(@spec.strip).nil?

        def invalid(why)
          raise(ConfigError, "#{@spec.inspect} is no schedule (#{why}): use one such as \"0 9 * " \
            "* 1-5\" or \"every 5 minutes\"")
        end

        def fixed_hours? = !@cron.hours.nil?

        # The second of two equal local times does not count.
        def following(after)
          at = @cron.next_time(::EtOrbi::EoTime.new(after, @zone)).to_f
          return passed_over(after, at) || at unless fixed_hours?

          repeated?(at) ? following(at) : at
        rescue RuntimeError, ArgumentError # fugit's, after it has looked far enough ahead
          nil
        end

        def repeated?(at)
          change = @zone.period_for_utc(Time.at(at).utc).start_transition or return false
          at - change.at.to_i < set_back(change)
        end

        # Seconds by which a change puts clocks back.
        def set_back(change)
          change.previous_offset.observed_utc_offset - change.offset.observed_utc_offset
        end

        # fugit follows local time, so in autumn it can skip the second of two equal hours.
        def passed_over(after, at)
          @zone.transitions_up_to(Time.at(at).utc, Time.at(after - LONGEST).utc).each do |change|
            first = change.at.to_i
            last = [first + set_back(change), at.ceil].min
            found = first_match([first, after.floor + 1].max, last) and return found
          end
          nil
        end

        # The first time from +first+ on, and before +last+.
        def first_match(first, last)
          step = (@cron.seconds == [0]) ? 60 : 1
          (first.ceildiv(step) * step...last).step(step) do |at|
            return at.to_f if @cron.match?(::EtOrbi::EoTime.new(at, @zone))
          end
          nil
        end

        # The end of the first gap with a time in it.
        def skipped(after, before)
          return unless fixed_hours?

          @zone.transitions_up_to(Time.at(before).utc, Time.at(after).utc).each do |change|
            at = change.at.to_i.to_f
            return at if at > after && lost?(change, at)
          end
          nil
        end

        # Whether a time is in the skipped part of local time.
        def lost?(change, at)
          first = at + change.previous_offset.observed_utc_offset
          last = at + change.offset.observed_utc_offset
          (first...last).step(60).any? { |wall| matches?(Time.at(wall).utc) }
        end

        def matches?(wall)
          @cron.hour_match?(wall) && @cron.min_match?(wall) &&
            @cron.day_match?(::EtOrbi::EoTime.new(wall.to_f, "UTC")) && @cron.month_match?(wall)
        end
      end
    end
  end
end
