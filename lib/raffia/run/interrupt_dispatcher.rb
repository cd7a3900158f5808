# frozen_string_literal: true

module Raffia
  module Run
    # Passes interrupts of the loop (a signal, Thread#raise, an error of a fiber without an owner)
    # to the block of the run while it is alive, then to all fibers.
    #
    # A second interrupt while the run cleans up ends it at once. So does a second signal within
    # five seconds: a block that rescued the first one may be cleaning up in its own scopes.
    #
    # @api private
    class InterruptDispatcher
      # Seconds.
      IMPATIENCE = 5
      private_constant :IMPATIENCE

      # The last one, while it takes effect.
      attr_reader :interrupt

      def initialize(scheduler)
        @scheduler = scheduler
        @fiber = @interrupt = @received_at = nil
      end

      # Runs the block.
      attr_writer :fiber

      # Whether an exception that left the loop is to be passed on. An interrupt comes back from
      # each fiber that it has ended.
      def new?(error) = !error.equal?(@interrupt) && !joined?(error)

      # Returns the interrupt when the block cannot get it any more; raises it when it ends the run
      # at once. +cleaning+: whether the block's scope is cancelled.
      def pass_on(interrupt, cleaning)
        give_up(interrupt) if @interrupt && (cleaning || !alive? || impatient?(interrupt))

        note(interrupt)
        return @scheduler.fiber_interrupt(@fiber, interrupt) if alive?

        @scheduler.interrupt_all(interrupt)
        interrupt
      end

      # An interrupt that was raised in the block without the loop.
      def note(interrupt)
        @interrupt = interrupt
        @received_at = Clock.now
      end

      def forget = @interrupt = nil

      private

      def alive? = @fiber&.alive?

      def impatient?(interrupt)
        interrupt.is_a?(SignalException) && Clock.now < @received_at + IMPATIENCE
      end

      def give_up(interrupt)
        @scheduler.terminate
        raise interrupt
      end

      # Thread.abort_on_exception raises a thread's error in the loop, too. Where the block waits
      # for that thread, Thread#join raises it.
      def joined?(error)
        return false if error.is_a?(SignalException) || !alive?

        thread = @scheduler.parked(frames: 0).find { |one| one.owner.equal?(@fiber) }&.subject
        thread.is_a?(Thread) && thread.status.nil? && raised_by_join?(thread, error)
      end

      # The thread has ended, so nothing waits here; but Thread#join would call the scheduler.
      def raised_by_join?(thread, error)
        Fiber.blocking { thread.join }
        false
      rescue Exception => raised # standard:disable Lint/RescueException
        raised.equal?(error)
      end
    end
  end
end
