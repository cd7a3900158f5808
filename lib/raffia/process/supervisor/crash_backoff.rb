# frozen_string_literal: true

module Raffia
  module Process
    class Supervisor
      # How often the workers of one slot have died lately, and how long the next one is to wait for
      # that. A worker that has served is replaced at once; those that die before they are ready, or
      # again and again right after, come at growing intervals, so that nothing spins.
      #
      # @api private
      class CrashBackoff
        # Seconds before the second try, and the longest pause.
        FIRST, LONGEST = 0.1, 5.0
        # So many short lives in a row are taken as accidents.
        ACCIDENTS = 5

        # @param window [Numeric] seconds for which a crash counts
        # @param min_life [Numeric] seconds; a worker that lived for less after it was ready has
        #   hardly served
        def initialize(window, min_life)
          @window = window
          @min_life = min_life
          @boots = []
          @short = 0
        end

        # A worker died.
        # @param now [Float]
        # @param served [Float, nil] seconds for which it was ready; nil when it never was
        # @param killed [Boolean] whether somebody else has ended it: that is no failure to boot
        # @return [Float] seconds to wait before the next
        def died(now, served, killed: false)
          return (served < @min_life) ? pause((@short += 1) - ACCIDENTS) : clear if served
          return pause((@short += 1) - ACCIDENTS) if killed

          @boots << now
          pause(count(now))
        end

        # @return [Integer] failures to boot within the window
        def count(now)
          @boots.shift while @boots.any? && now - @boots.first > @window
          @boots.size
        end

        # A worker is ready, so the slot can boot.
        # @return [void]
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
