# frozen_string_literal: true

module Celluloid
  module Supervision
    # Delays restarts of an actor that fails repeatedly, longer each time. The first restarts are
    # immediate.
    class Backoff
      # Restarts at once of what fails quickly.
      FREE = 3
      # Seconds; an actor that has lived longer is not in a crash loop.
      QUICK = 1
      # Seconds of the first delay, which is doubled each time, and of the longest.
      FIRST = 0.1
      MOST = 5
      # Seconds within which restarts are counted, by default.
      PERIOD = 10

      # +most+: restarts within the period; nil: any number.
      def initialize(most = nil, period = nil)
        @intensity = ::Raffia::Actor::Supervisor::RestartIntensity.new(most, period || PERIOD)
        @quick = 0
        @begun = -Float::INFINITY
      end

      # Seconds until the restart; nil: give up.
      def next(now = ::Raffia::Clock.now)
        return unless @intensity.allow?(now)

        @quick = (now - @begun < QUICK) ? @quick + 1 : 0
        late = @quick - FREE
        delay = (late < 0) ? 0 : [FIRST * (2**late), MOST].min
        @begun = now + delay
        delay
      end
    end
  end
end
