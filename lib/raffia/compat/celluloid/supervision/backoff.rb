# frozen_string_literal: true

module Celluloid
  module Supervision
    # How long an actor that keeps failing has to wait for its next start: not at all for the first few, then longer and longer. So a crash
    # loop costs next to nothing, and one that has run well for a while begins anew.
    class Backoff
      # How many restarts within {PERIOD} come at once.
      FREE = 3
      # Seconds after which a failure is forgotten.
      PERIOD = 5
      # Seconds of the first delay; each is twice the one before.
      FIRST = 0.1
      # Seconds.
      MOST = 5

      # @param most [Integer, nil] restarts within the period, after which it is given up; nil: never
      def initialize(most = nil, period = nil)
        @most = most
        @period = period || (PERIOD + MOST)
        @times = []
      end

      # A failure.
      # @return [Numeric, nil] seconds to wait; nil: it is to be given up
      def next
        now = ::Raffia::Clock.now
        @times.reject! { |time| time < now - @period }
        @times << now
        return if @most && @times.size > @most

        late = @times.size - FREE
        late.positive? ? [FIRST * (2**(late - 1)), MOST].min : 0
      end
    end
  end
end
