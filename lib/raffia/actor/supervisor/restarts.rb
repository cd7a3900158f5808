# frozen_string_literal: true

module Raffia
  class Supervisor
    # How many restarts there were, lately.
    #
    # @api private
    class Restarts
      def initialize(intensity, period)
        @intensity = intensity
        @period = period
        @times = []
      end

      # One more.
      # @return [Boolean] whether there may be that many
      def allow?(now = Clock.now)
        return true unless @intensity

        @times << now
        @times.shift while @times.first < now - @period
        @times.size <= @intensity
      end
    end
  end
end
