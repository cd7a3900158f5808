# frozen_string_literal: true

module Raffia
  class Scheduler
    # Ends the fibers that a scheduler must not leave where they are.
    #
    # A fiber that blocks on core's Mutex, Queue, ConditionVariable or Thread#join is in a list of
    # that object, and the entry of the list is on the fiber's stack. Core wakes it through the
    # scheduler of its thread. Where the thread has ended since, Mutex#unlock ends the process
    # ("unexpected THREAD_KILLED"); where the fiber has been collected, the entry is freed memory.
    # Only the fiber itself can leave the list, on its way out, so it is killed: its `ensure` blocks
    # run, and end at their first wait.
    #
    # @api private
    module Teardown
      private

      # @return [void]
      # @raise [Exception] an interrupt of the thread that came meanwhile
      def kill_blocked_fibers
        blocked = waits.select { |fiber, _, reason, subject| in_list?(fiber, reason, subject) }
        blocked.reject! { |fiber,| fiber.equal?(Fiber.current) } # in a trap handler
        return if blocked.empty?

        self.rejects_waits = true
        interrupts = blocked.filter_map do |fiber, owner, _, subject|
          kill_blocked(fiber, owner, subject)
        end
        raise interrupts.first if interrupts.any?
      end

      def in_list?(fiber, reason, subject)
        return Slumber.condition?(Slumber.frames(fiber)) if reason == :sleep
        return false unless reason == :block

        # A lock inside of Ruby is no object that could be asked.
        case Engine.visible([subject]).first
        when nil, ::Thread::Mutex, ::Thread::Queue, ::Thread then true
        else false
        end
      end

      # Nobody is left who could be told of an error in an `ensure` block.
      # @return [Exception, nil] an interrupt
      def kill_blocked(fiber, owner, subject)
        # Where the owner is resuming an Enumerator, an error is raised in that first.
        owner.kill if fiber.alive?
        pass_on_lock(subject)
        nil
      rescue
        nil
      rescue Exception => interrupt # standard:disable Lint/RescueException
        interrupt
      end

      # Mutex#unlock wakes one waiter only. If that was this fiber, the others would wait for ever.
      def pass_on_lock(subject)
        return unless Engine.visible([subject]).first.is_a?(::Thread::Mutex)

        subject.unlock if subject.try_lock
      end

      # An error could be rescued, and the wait be tried again for ever. Fiber#kill works once, but
      # a killed fiber is sent on its way out again by each switch to it.
      def reject_wait
        Fiber.current.kill
        Fiber.new {}.resume
        raise_closed
      end
    end
  end
end
