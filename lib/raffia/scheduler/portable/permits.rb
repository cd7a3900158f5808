# frozen_string_literal: true

module Raffia
  class Scheduler
    class Portable
      # Wake-ups that came too early, and those that come too late.
      #
      # An `unblock` may arrive before its fiber has parked: it is kept as a permit, which the next
      # `block` takes. Core checks its condition again after each `block`. A sleep takes permits
      # too, because ConditionVariable#wait and IO#close are sleeps to core; but not a late one,
      # which names what the fiber has stopped blocking on.
      #
      # A blocker may be an internal object of Ruby, on which no method may be called, not even
      # `==`. It can be stored, and be compared by identity.
      #
      # @api private
      class Permits
        def initialize
          @given = ObjectSpace::WeakKeyMap.new # fiber => {blocker => true}
          # fiber => what it has stopped blocking on. Most of these know their fiber, and would keep
          # it for ever.
          @abandoned = ObjectSpace::WeakMap.new
        end

        def give(fiber, blocker)
          @given[fiber] = {}.compare_by_identity.tap { |permit| permit[blocker] = true }
        end

        def given?(fiber) = @given.key?(fiber)

        def take(fiber) = @given.delete(fiber)

        def late?(fiber)
          permit = @given[fiber] or return false

          permit.key?(@abandoned[fiber])
        end

        def begin(fiber) = @abandoned.delete(fiber)

        # The fiber stops blocking without a wake-up.
        def abandon(fiber, blocker) = @abandoned[fiber] = blocker
      end
    end
  end
end
