# frozen_string_literal: true

module Raffia
  class Scheduler
    # Ends waits with exceptions: interrupts and time limits. A fiber gets an exception only where
    # it waits. One that does not wait gets it at its next wait, one for each.
    #
    # @api private
    class Interrupts
      # An exception on its way to a fiber, among the completions and in their order.
      class PendingInterrupt
        attr_reader :fiber, :error

        def initialize(interrupts, fiber, error)
          @interrupts = interrupts
          @fiber = fiber
          @error = error
          @wait = nil
          @withdrawn = false
        end

        def withdrawn? = @withdrawn

        def withdraw = @withdrawn = true

        # Returns the wait that it ends. The loop calls it again when an interrupt of the thread
        # came in between.
        def complete(_result)
          return if @withdrawn

          @wait ||= @interrupts.raise_in_fiber(self)
        end
      end

      def initialize(scheduler)
        @scheduler = scheduler
        # fiber => those of its next waits; used by the loop's thread only
        @pending = ObjectSpace::WeakKeyMap.new
        @count = 0 # of them; too high when a fiber was collected with its own
      end

      def send_to(fiber, error) = @scheduler.deliver(PendingInterrupt.new(self, fiber, error), 0)

      def limit(duration, klass, message, &block)
        own = defined?(::Timeout::ExitException) && klass.equal?(::Timeout::Error)
        return limit_hidden(duration, klass, message, &block) if own

        enforce(duration, klass.exception(*message), &block)
      end

      # The turn of a {PendingInterrupt} has come: returns the wait that it ends, or nil.
      def raise_in_fiber(interrupt)
        fiber = interrupt.fiber
        wait = @scheduler.fail_wait(fiber, interrupt.error) and return wait

        postpone(fiber, interrupt) if fiber.alive?
        nil
      end

      # The exception for a fiber that begins to wait, or nil. +owner+ is the scheduler's fiber;
      # +fiber+ differs when the owner is resuming an Enumerator.
      def take(owner, fiber)
        interrupt = shift(owner) || (shift(fiber) unless owner.equal?(fiber))
        interrupt&.error
      end

      private

      def enforce(duration, error)
        interrupt = PendingInterrupt.new(self, Fiber.current, error)
        timer = @scheduler.engine.after(@scheduler.interval(duration), interrupt)
        yield duration
      ensure
        interrupt&.withdraw
        @scheduler.engine.disarm(timer) if timer && !@scheduler.closed?
        forget(interrupt) if interrupt
      end

      # Timeout on threads raises a Timeout::ExitException in the block, so that no
      # `rescue => error` and no `rescue Timeout::Error` there takes it for its own error: a driver
      # would connect again and continue. Ruby 3.3 and 3.4 pass schedulers the public class.
      def limit_hidden(duration, klass, message, &block)
        error = ::Timeout::ExitException.new(message)
        enforce(duration, error, &block)
      rescue ::Timeout::ExitException => late
        raise unless late.equal?(error)

        raise klass, message
      end

      def postpone(fiber, interrupt)
        @pending[fiber] = @pending[fiber].to_a | [interrupt]
        count(1)
      end

      def count(change) = @scheduler.postponed_interrupts = @count += change

      def shift(fiber)
        interrupts = @pending[fiber] or return

        before = interrupts.size
        interrupt = interrupts.shift
        interrupt = interrupts.shift while interrupt&.withdrawn?
        @pending.delete(fiber) if interrupts.empty?
        count(interrupts.size - before)
        interrupt
      end

      def forget(interrupt)
        interrupts = @pending[interrupt.fiber] or return

        count(-1) if interrupts.delete(interrupt)
        @pending.delete(interrupt.fiber) if interrupts.empty?
      end
    end
  end
end
