# frozen_string_literal: true

module Raffia
  module Simulation
    class Races
      # The happens-before order of a run, as vector clocks of its threads.
      #
      # A thread's clock says how much of each other thread it knows to have happened. Releases hand
      # a copy to an object, acquires take it over.
      # @api private
      class Order
        def initialize
          @clocks = {}.compare_by_identity
          @released = {}.compare_by_identity
        end

        # A thread's own time: one number between two of its releases.
        def time(thread) = clock(thread)[thread]

        # @return [Boolean] whether all that `other` did up to `time` happened before what `thread`
        #   does now
        def before?(other, time, thread)
          other.equal?(thread) || time <= clock(thread).fetch(other, 0)
        end

        # A snapshot of what the thread knows; then it enters a new time.
        def release(thread)
          own = clock(thread)
          snapshot = own.dup
          own[thread] += 1
          snapshot
        end

        # The thread knows what the snapshot holds.
        def acquire(thread, snapshot)
          return unless snapshot
          clock(thread).merge!(snapshot) { |_, own, other| (own > other) ? own : other }
        end

        # All releases to an object come before all acquires from it that follow.
        def release_to(thread, object)
          snapshot = release(thread)
          known = @released[object]
          if known
            known.merge!(snapshot) { |_, a, b| (a > b) ? a : b }
          else
            @released[object] = snapshot
          end
        end

        def acquire_from(thread, object) = acquire(thread, @released[object])

        private

        def clock(thread) = @clocks[thread] ||= {thread => 1}.compare_by_identity
      end
    end
  end
end
