# frozen_string_literal: true

module Raffia
  class Scheduler
    class Portable < Scheduler
      # Waiting for each other: what Mutex, Queue, ConditionVariable, Thread#join and sleep come
      # down to.
      #
      # An `unblock` may arrive before its fiber has parked; it is then kept as a permit, which the
      # next `block` takes. Core looks at its condition again after each return of `block`, so a
      # permit that came too late costs one turn. A sleep takes permits too, because
      # ConditionVariable#wait and IO#close with readers in other threads are sleeps to core; but
      # not one that speaks of what the fiber has given up blocking on, which is late. A condition
      # variable speaks of its Mutex, which the fiber may have blocked on before: that it got.
      #
      # A blocker may be an object of Ruby's insides that has no class (the lock of autoload is
      # one). Nothing may be called on it, not even `==`; it can be stored, and be looked up by
      # identity.
      #
      # @api private
      module Block
        ETIME = -Errno::ETIME::Errno
        private_constant :ETIME

        # Hook: wait until {#unblock}, at the longest for the timeout.
        #
        # @param blocker [Object] what the fiber waits for
        # @param timeout [Numeric, nil] seconds
        # @return [Boolean] whether it was unblocked
        def block(blocker, timeout = nil)
          wait = new_wait(woken_by: :anyone,
            about: {reason: :block, subject: blocker, limit: timeout})
          @left.delete(wait.fiber)
          timer = engine.after(timeout, wait) if timeout
          result = suspend(wait) { @permits.delete(wait.fiber) }
          woken = result != ETIME || @permits.key?(wait.fiber)
        ensure
          @engine.disarm(timer) if timer
          @left[wait.fiber] = blocker if wait && !(woken || @permits.key?(wait.fiber))
          @permits.delete(wait.fiber) if wait
        end

        # Hook: wake a fiber that blocks, or is about to. Any thread may call it; it neither waits
        # nor raises.
        #
        # @return [void]
        def unblock(blocker, fiber)
          Engine.wake_fiber(blocker, fiber) { wake(blocker, fiber) }
        end

        # Hook of Kernel#sleep and Mutex#sleep.
        #
        # @param duration [Numeric, nil] seconds; nil: until something wakes it
        # @return [true]
        def kernel_sleep(duration = nil)
          limit = duration && interval(duration)
          wait = new_wait(woken_by: :event, about: {reason: :sleep, limit: limit})
          timer = engine.after(limit, wait) if limit
          suspend(wait) { woken?(wait) }
          true
        ensure
          @engine.disarm(timer) if timer
          @permits.delete(wait.fiber) if wait
        end

        private

        def init_block
          @permits = ObjectSpace::WeakKeyMap.new # fiber => {blocker => true}
          @left = ObjectSpace::WeakKeyMap.new # fiber => what it has given up blocking on
        end

        # First the permit, then the look: `block` announces its wait first and looks for a permit
        # then.
        def wake(blocker, fiber)
          return if closed? || !fiber.alive?

          @permits[fiber] = {}.compare_by_identity.tap { |permit| permit[blocker] = true }
          wait = @parked[fiber]
          deliver(wait, 0) if wait && wakes?(wait, fiber)
        end

        def wakes?(wait, fiber)
          case wait.woken_by
          when :anyone then true
          when :event then !late?(fiber)
          end
        end

        def woken?(wait) = @permits.key?(wait.fiber) && wakes?(wait, wait.fiber)

        def late?(fiber)
          permit = @permits[fiber] or return false

          permit.key?(@left[fiber])
        end
      end
    end
  end
end
