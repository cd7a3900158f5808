# frozen_string_literal: true

require_relative "pending_interrupt"

module Raffia
  class Scheduler
    # Ends waits with exceptions: interrupts and time limits. A fiber gets an exception only where
    # it waits. One that does not wait gets it at its next wait, one for each.
    #
    # @api private
    class Interrupts
      def initialize(scheduler)
        @scheduler = scheduler
        # fiber => those of its next waits; used by the loop's thread only
        @pending = ObjectSpace::WeakKeyMap.new
        @count = 0 # of them; too high when a fiber was collected with its own
      end

      # Calls the block, and raises in it what the time limit says; see {Hooks#timeout_after}.
      # @return [Object] the block's value
      def limit(duration, klass, message, &block)
        own = defined?(::Timeout::ExitException) && klass.equal?(::Timeout::Error)
        return limit_hidden(duration, klass, message, &block) if own

        enforce(duration, klass.exception(*message), &block)
      end

      # Called by a {PendingInterrupt} when its turn has come.
      # @return [Object, nil] the wait that it ends
      def raise_in_fiber(interrupt)
        fiber = interrupt.fiber
        wait = @scheduler.fail_wait(fiber, interrupt.error) and return wait

        postpone(fiber, interrupt) if fiber.alive?
        nil
      end

      # @param owner [Fiber] the scheduler's fiber that begins to wait
      # @param fiber [Fiber] the one in it that waits: another one when it is resuming an Enumerator
      # @return [Exception, nil] that is to be raised there
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
      # `rescue => error` and no `rescue Timeout::Error` there mistakes it for its own error: a
      # driver would connect again and continue. Timeout passes its public class to schedulers in
      # Ruby 3.3 and 3.4.
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
