# frozen_string_literal: true

module Raffia
  class Actor
    class Supervisor
      # Counts the restarts of the last seconds against OTP's intensity and period.
      #
      # @api private
      class RestartIntensity
        def initialize(intensity, period)
          @intensity = intensity
          @period = period
          @times = []
        end

        # Counts one more restart, and returns whether there may be that many.
        def allow?(now = Clock.now)
          return true unless @intensity

          @times << now
          @times.shift while @times.first < now - @period
          @times.size <= @intensity
        end
      end
    end
  end
end
