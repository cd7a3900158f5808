# frozen_string_literal: true

require_relative "sleep_inspection"

module Raffia
  class Scheduler
    # Ends the fibers that a closed scheduler must not leave suspended.
    #
    # A fiber that blocks on core's Mutex, Queue, ConditionVariable or Thread#join is in a list of
    # that object, and the list's entry is on the fiber's stack. Core wakes it through the scheduler
    # of its thread. If that thread has ended, Mutex#unlock ends the process ("unexpected
    # THREAD_KILLED"); if the fiber has been collected, the entry is freed memory. Only the fiber
    # itself can leave the list, while it unwinds, so it is killed: its `ensure` blocks run, and end
    # at their first wait.
    #
    # @api private
    class Teardown
      # An error could be rescued, and the wait be tried again for ever. Fiber#kill works once, but
      # each switch to a killed fiber makes it unwind again.
      def self.kill_current
        Fiber.current.kill
        Fiber.new {}.resume
      end

      def initialize(scheduler)
        @scheduler = scheduler
      end

      def call
        blocked = @scheduler.waits.select do |fiber, _, reason, subject|
          listed?(fiber, reason, subject)
        end
        blocked.reject! { |fiber,| fiber.equal?(Fiber.current) } # in a trap handler
        return if blocked.empty?

        @scheduler.rejects_waits = true
        interrupts = blocked.filter_map { |fiber, owner, _, subject| kill(fiber, owner, subject) }
        raise interrupts.first if interrupts.any?
      end

      private

      def listed?(fiber, reason, subject)
        return SleepInspection.condition?(SleepInspection.frames(fiber)) if reason == :sleep
        return false unless reason == :block

        # An internal lock of Ruby is no object on which a method could be called.
        case Engine.visible([subject]).first
        when nil, ::Thread::Mutex, ::Thread::Queue, ::Thread then true
        else false
        end
      end

      # Returns an interrupt, or nil. An error in an `ensure` block is dropped.
      def kill(fiber, owner, subject)
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
    end
  end
end
