# frozen_string_literal: true

require "monitor"
require_relative "queue_order"

module Raffia
  module Simulation
    class Races
      # Follows calls of Mutex, Monitor, Queue, SizedQueue and ConditionVariable: what they order,
      # and which locks are held.
      # @api private
      class Synchronization
        # Effects before and after a call of a method.
        BEFORE = {
          ::Thread::Mutex => {unlock: :leave, sleep: :leave, synchronize: :expect},
          ::Monitor => {exit: :leave, mon_exit: :leave, wait_for_cond: :leave, synchronize: :expect,
                        mon_synchronize: :expect},
          ::Thread::Queue => {push: :push, "<<": :push, enq: :push},
          ::Thread::ConditionVariable => {signal: :release, broadcast: :release}
        }.freeze
        AFTER = {
          ::Thread::Mutex => {lock: :enter, try_lock: :enter, sleep: :enter,
                              synchronize: :conclude},
          ::Monitor => {enter: :enter, mon_enter: :enter, try_enter: :enter, try_mon_enter: :enter,
                        mon_try_enter: :enter, wait_for_cond: :enter, synchronize: :conclude,
                        mon_synchronize: :conclude},
          ::Thread::Queue => {push: :pushed, "<<": :pushed, enq: :pushed, pop: :pop, shift: :pop,
                              deq: :pop, clear: :clear},
          ::Thread::ConditionVariable => {wait: :acquire}
        }.freeze
        # Names of all these methods: other calls are no business of this class.
        METHODS = [BEFORE, AFTER].flat_map { |all| all.values.flat_map(&:keys) }
          .to_h { |name| [name, true] }.freeze
        private_constant :BEFORE, :AFTER

        def initialize(ordering)
          @ordering = ordering
          @queues = {}.compare_by_identity
          @held = {}.compare_by_identity
          @expected = {}.compare_by_identity
        end

        # Mutexes and Monitors that a fiber holds.
        def held(fiber) = @held[fiber] ||= []

        # A method of {METHODS} is called.
        def before(thread, fiber, object, name)
          action = action(BEFORE, object, name)
          public_send(action, thread, fiber, object) if action
        end

        # It returns.
        def after(thread, fiber, object, name)
          action = action(AFTER, object, name)
          public_send(action, thread, fiber, object) if action
        end

        # @return [Object, nil] the lock whose `synchronize` has just begun its block
        def entered(thread, fiber)
          lock = @expected[fiber]
          return unless lock && owned?(lock)
          @expected.delete(fiber)
          enter(thread, fiber, lock)
          lock
        end

        def enter(thread, fiber, lock)
          return unless owned?(lock)
          held(fiber) << lock
          @ordering.acquire_from(thread, lock)
        end

        def leave(thread, fiber, lock)
          locks = held(fiber)
          index = locks.rindex { |other| other.equal?(lock) } or return
          locks.delete_at(index)
          @ordering.release_to(thread, lock)
        end

        def expect(_, fiber, lock) = @expected[fiber] = lock

        # `synchronize` is over. Its block has left the lock already, unless it is a method.
        def conclude(thread, fiber, lock)
          @expected.delete(fiber)
          leave(thread, fiber, lock) unless owned?(lock)
        end

        def push(thread, _, queue) = order(queue).pushes(thread)

        def pushed(thread, _, queue) = order(queue).pushed(thread)

        def pop(thread, _, queue) = order(queue).popped(thread)

        def clear(thread, _, queue) = order(queue).cleared(thread)

        def release(thread, _, object) = @ordering.release_to(thread, object)

        def acquire(thread, _, object) = @ordering.acquire_from(thread, object)

        private

        def action(table, object, name)
          table.each { |type, actions| return actions[name] if type === object }
          nil
        end

        def owned?(lock) = (::Monitor === lock) ? lock.mon_owned? : lock.owned?

        def order(queue)
          @queues[queue] ||= QueueOrder.new(@ordering,
            (queue.max if ::Thread::SizedQueue === queue))
        end
      end
    end
  end
end
