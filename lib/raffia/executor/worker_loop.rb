# frozen_string_literal: true

module Raffia
  module Executor
    # The loop of one worker: takes work from the coordinator's feed, posts it to the slot, and
    # returns the replies, until none is left. It runs in a thread or fiber of a group, or in the
    # caller.
    #
    # A coordinator answers
    #
    #     feed                   -> #take(wait:)
    #     admit(work)            -> the work, or what of it is still wanted; nil: nothing
    #     complete(work, reply)  a slot has collected it
    #     refuse(work, error)    it could not be posted
    #     replace?(error, slot)  a slot is lost: whether to take another one
    #     crash(error, slot)     the loop ends with an error
    #     loop_ended             the loop has ended
    #     thread_ended           its thread has ended
    module WorkerLoop
      module_function

      # The group may put something around the serving, which it gets as a Proc, but not around the
      # slot's beginning and end. Raises Cancel.
      def run(coordinator, slots, &)
        nil while serve_slot(coordinator, slots, &) == :again
      ensure
        coordinator.loop_ended
      end

      # :again when the slot was lost, and another one is to be taken.
      def serve_slot(coordinator, slots)
        slot = slots.call
        yield proc { serve(coordinator, slot) }
        ended = clean = true
        nil
      rescue Cancel
        ended = true
        raise
      rescue Exception => error # standard:disable Lint/RescueException
        ended = true
        return :again if slot && coordinator.replace?(error, slot)

        coordinator.crash(error, slot)
        nil
      ensure
        # Only Thread#kill and Fiber#kill get past the rescues.
        coordinator.crash(slot.killed, slot) if slot && !ended
        slot&.close(clean || false)
      end

      def serve(coordinator, slot, wait: true)
        feed = coordinator.feed
        while true
          while slot.ready? && (work = feed.take(wait: wait && slot.posted.empty?))
            post(coordinator, slot, work)
          end
          break if slot.posted.empty?

          coordinator.complete(*slot.collect)
        end
      end

      def post(coordinator, slot, work)
        work = coordinator.admit(work)
        slot.post(work) if work
      rescue NotDumpable, NotShareable => error
        coordinator.refuse(work, error)
      end
    end
  end
end
