# frozen_string_literal: true

module Raffia
  class Scheduler
    # Ending somebody's wait with an exception: interrupts and time limits. An exception meets a fiber only where it waits; one that
    # does not wait gets it at its next wait, one in each.
    #
    # @api private
    module Interrupt
      # Hook of Ruby 4.0, offered on every Ruby: raise the exception where the fiber waits, or will wait next. Any thread may call it.
      #
      # @param fiber [Fiber] one that the scheduler started; while it is resuming an Enumerator, it is that which is interrupted
      # @param exception [Exception] raised as it is
      # @return [void]
      def fiber_interrupt(fiber, exception)
        return if @closed || !fiber.alive?

        deliver(Notice.new(self, fiber, exception), 0)
        nil
      end

      # Interrupt every fiber that waits, but the running one.
      # @return [void]
      def interrupt_all(exception)
        fibers = @parked.each_value.map(&:owner).uniq - [Fiber.current]
        fibers.each { |fiber| fiber_interrupt(fiber, exception) }
      end

      # Hook of Timeout.timeout.
      #
      # @param duration [Numeric] seconds
      # @param klass [Class] of the exception
      # @param message [String, nil]
      # @yieldparam duration [Numeric]
      # @return [Object] the block's value
      def timeout_after(duration, klass, message = nil)
        notice = Notice.new(self, Fiber.current, klass.exception(*message))
        timer = engine.after(interval(duration), notice)
        yield duration
      ensure
        notice&.withdraw
        @engine.disarm(timer) if timer
        forget(notice) if notice
      end

      # Called by a {Notice} when its turn has come.
      # @return [Wait, nil] the wait that it ends
      def strike(notice)
        fiber = notice.fiber
        wait = @parked[fiber] || @owners[fiber]
        return wait if wait&.fail(notice.error)

        @pending[fiber] = @pending[fiber].to_a | [notice] if fiber.alive?
        nil
      end

      private

      def init_interrupt
        @pending = ObjectSpace::WeakKeyMap.new # fiber => notices; touched by the loop's thread alone
      end

      def raise_pending(wait)
        return unless wait.interruptible?

        notice = take(wait.owner) || (take(wait.fiber) unless wait.owner.equal?(wait.fiber))
        raise notice.error if notice
      end

      def take(fiber)
        notices = @pending[fiber] or return

        notice = notices.shift
        notice = notices.shift while notice&.withdrawn?
        @pending.delete(fiber) if notices.empty?
        notice
      end

      def forget(notice)
        notices = @pending[notice.fiber] or return

        notices.delete(notice)
        @pending.delete(notice.fiber) if notices.empty?
      end
    end
  end
end
