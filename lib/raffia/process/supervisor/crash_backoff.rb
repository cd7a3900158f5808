# frozen_string_literal: true

module Raffia
  module Process
    class Supervisor
      # Counts crashes of one slot's workers, and says how long the next one waits. A worker that
      # has served is replaced at once; those that die early, again and again, at growing intervals.
      #
      # @api private
      class CrashBackoff
        FIRST, LONGEST = 0.1, 5.0
        ACCIDENTS = 5

        # `window`: seconds for which a crash counts. `min_life`: seconds that a worker must have
        # been ready to have served.
        def initialize(window, min_life)
          @window = window
          @min_life = min_life
          @boots = []
          @short = 0
        end

        # Seconds to wait after the death of a worker. `served`: seconds for which it was ready;
        # nil: never. `killed`: from outside, which is no failure to boot.
        def died(now, served, killed: false)
          return (served < @min_life) ? pause((@short += 1) - ACCIDENTS) : clear if served
          return pause((@short += 1) - ACCIDENTS) if killed

          @boots << now
          pause(count(now))
        end

        def count(now)
          @boots.shift while @boots.any? && now - @boots.first > @window
          @boots.size
        end

        def booted = @boots.clear

        private

        def clear
          @short = 0
          0.0
        end

        def pause(number) = number.positive? ? [FIRST * 2**[number - 1, 10].min, LONGEST].min : 0.0
      end
    end
  end
end
