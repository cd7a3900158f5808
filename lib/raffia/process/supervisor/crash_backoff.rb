# frozen_string_literal: true

module Raffia
  module Process
    class Supervisor
      # Counts crashes of one slot's workers, and says how long the next one waits. A worker that
      # has served is replaced at once; those that die early, again and again, at growing intervals.
      #
      # @api private
      class CrashBackoff
        # Seconds before the second try, and the longest pause.
        FIRST, LONGEST = 0.1, 5.0
        # So many short lives in a row are taken as accidents.
        ACCIDENTS = 5

        # `window`: seconds for which a crash counts. `min_life`: seconds; a worker that lived for
        # less after it was ready has hardly served.
        def initialize(window, min_life)
          @window = window
          @min_life = min_life
          @boots = []
          @short = 0
        end

        # A worker died. `served`: seconds for which it was ready; nil when it never was. Seconds to
        # wait before the next.
        def died(now, served, killed: false)
          return (served < @min_life) ? pause((@short += 1) - ACCIDENTS) : clear if served
          return pause((@short += 1) - ACCIDENTS) if killed

          @boots << now
          pause(count(now))
        end

        # Failures to boot within the window.
        def count(now)
          @boots.shift while @boots.any? && now - @boots.first > @window
          @boots.size
        end

        # A worker is ready, so the slot can boot.
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
