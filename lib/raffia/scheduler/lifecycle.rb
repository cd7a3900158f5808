# frozen_string_literal: true

require_relative "teardown"

module Raffia
  class Scheduler
    # Opens the engine of a scheduler, runs its fibers, and ends it.
    module Lifecycle
      CLOSED = "the scheduler is closed: set a new one with Fiber.set_scheduler"
      private_constant :CLOSED

      # Runs until no fiber waits any more; may be called again. The calling fiber sleeps in the
      # kernel meanwhile, so interrupts of the thread (a signal, Thread#raise) are raised here.
      #
      # @return [void]
      # @raise [Exception] that escaped from a fiber
      # @raise [Closed]
      def run
        raise_closed if closed?
        check_thread
        run_until_over
        nil
      end

      # Hook of core for the end of the scheduler's thread, and of Fiber.set_scheduler(nil). Runs
      # the fibers that are left; in a thread that is being killed, only their `ensure` blocks.
      # @api private
      def scheduler_close
        return if closed?
        return release unless thread.nil? || thread.alive?

        begin
          (Thread.current.status == "aborting") ? run_ensure_blocks : run
        ensure
          close_now if !closed? && [nil, Thread.current].include?(thread)
        end
      end

      # Runs the fibers that are left, then releases everything.
      # @return [void]
      def close
        return if closed?
        # Core lets go of it first, and then calls scheduler_close.
        return Fiber.set_scheduler(nil) if Fiber.scheduler.equal?(self)

        scheduler_close
      end

      # Releases everything at once. The fibers that wait stay suspended, and not even their
      # `ensure` runs. Those that wait for core's Mutex, Queue, ConditionVariable or Thread are
      # killed (see {Teardown}), and an `ensure` of theirs ends at its first wait.
      # @return [void]
      # @raise [Error] in another thread than its own
      def terminate
        check_thread
        close_now unless closed?
        Fiber.set_scheduler(nil) if Fiber.scheduler.equal?(self)
      end

      private

      def attach
        raise_closed if closed?

        engine = Engine.open(@backend)
        @fork = Fork.after_child { disown }
        self.engine = engine
        self.class.open_schedulers[self] = true
        engine
      end

      def raise_closed = raise(Closed, CLOSED)

      # A fiber begins to wait after {#terminate}.
      def reject_wait
        Teardown.kill_current
        raise_closed
      end

      def check_thread
        return if thread.nil? || thread.equal?(Thread.current) || !thread.alive?

        raise Error,
          "a scheduler works in one thread only, which is #{thread.inspect} here: stop " \
          "its work from there, or end that thread"
      end

      def close_now
        Teardown.new(self).call
      ensure
        release
      end

      def release
        mark_closed
        self.class.open_schedulers.delete(self)
        @fork&.remove
        @offload.abandon
        open_engine&.close
      end

      def run_ensure_blocks
        stop = Cancel.new("the thread is being killed")
        interrupt_all(stop)
        begin
          run
        rescue Cancel => error
          error.equal?(stop) ? retry : raise
        end
      end

      # A fiber that Thread#kill ends passes the kill on to the main fiber. Ruby does so as an
      # interrupt, and where a mask of the thread defers that (Thread.handle_interrupt), it raises
      # the kill itself, which is an Integer: a TypeError. So the fiber leaves a mask that lets
      # Integers through. The thread ends anyway.
      def let_kill_pass
        return unless Thread.current.status == "aborting"

        Fiber.new { Thread.handle_interrupt(Integer => :immediate) { Fiber.yield } }.resume
      end

      # In a forked child the loop and the fibers in it are the parent's. The fiber that forked
      # continues as the first fiber of its thread, and must find no scheduler.
      def disown
        release
        Fiber.set_scheduler(nil) if Fiber.scheduler.equal?(self)
      end
    end
  end
end
