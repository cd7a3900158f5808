# frozen_string_literal: true

module Raffia
  class Scheduler
    # The hooks in Ruby, over the engine in Ruby. {Native} has the same ones in C; one suite of
    # tests covers both.
    #
    # @api private
    class Portable < Scheduler
      require_relative "portable/io_hooks"
      require_relative "portable/parking"
      require_relative "portable/permits"
      require_relative "portable/switch"
      require_relative "portable/turns"

      include Switch
      include Parking
      include IOHooks

      ETIME = -Errno::ETIME::Errno
      private_constant :ETIME

      def closed? = @closed

      attr_reader :thread

      # Hook: waits until {#unblock}, and returns whether that came before the timeout.
      def block(blocker, timeout = nil)
        wait = new_wait(woken_by: :anyone,
          about: {reason: :block, subject: blocker, limit: timeout})
        @permits.begin(wait.fiber)
        timer = engine.after(timeout, wait) if timeout
        result = suspend(wait) { @permits.take(wait.fiber) }
        woken = result != ETIME || @permits.given?(wait.fiber)
      ensure
        @engine.disarm(timer) if timer
        abandoned = wait && !(woken || @permits.given?(wait.fiber))
        @permits.abandon(wait.fiber, blocker) if abandoned
        @permits.take(wait.fiber) if wait
      end

      # Hook: wakes a fiber that blocks, or is about to. Any thread may call it; never waits or
      # raises.
      def unblock(blocker, fiber)
        Engine.wake_fiber(blocker, fiber) { wake(blocker, fiber) }
      end

      # Hook of Kernel#sleep and Mutex#sleep.
      def kernel_sleep(duration = nil)
        limit = duration && interval(duration)
        wait = new_wait(woken_by: :event, about: {reason: :sleep, limit: limit})
        timer = engine.after(limit, wait) if limit
        suspend(wait) { woken?(wait) }
        true
      ensure
        @engine.disarm(timer) if timer
        @permits.take(wait.fiber) if wait
      end

      # @api private
      def counts = {parked: @parked.size, switches: @switches, **@turns.stats}

      private

      def prepare(interval, _recycle)
        @main = Fiber.current
        @closed = @rejects_waits = false
        @parked = {}.compare_by_identity # fiber => wait
        @owners = {}.compare_by_identity # fiber => the wait of another fiber that it is resuming
        @starts = []
        @runners = [] # fibers in Scheduler#run
        # The scheduler's fiber that runs. Each switch sets it for the target, so a fiber that
        # resumes and finds another one here was not switched to: Fiber#raise transferred to it.
        @running = nil
        @switches = @postponed_interrupts = 0
        @turns = Turns.new(interval)
        @permits = Permits.new
      end

      def open_engine = @engine

      def engine=(engine)
        @thread = Thread.current
        @turns.restart
        @engine = engine
      end

      def mark_closed = @closed = true

      # `select` finds closed descriptors by itself.
      def io_closed = nil

      # The permit comes first: `block` makes its wait visible before it takes a permit.
      def wake(blocker, fiber)
        return if closed? || !fiber.alive?

        @permits.give(fiber, blocker)
        wait = @parked[fiber]
        deliver(wait, 0) if wait && wakes?(wait, fiber)
      end
    end
  end
end
