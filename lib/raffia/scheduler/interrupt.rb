# frozen_string_literal: true

module Raffia
  class Scheduler
    # Ending somebody's wait with an exception: interrupts and time limits. An exception meets a
    # fiber only where it waits; one that does not wait gets it at its next wait, one in each.
    #
    # @api private
    module Interrupt
      # Hook of Ruby 4.0, offered on every Ruby: raise the exception where the fiber waits, or will
      # wait next. Any thread may call it.
      #
      # @param fiber [Fiber] one that the scheduler started; while it is resuming an Enumerator, it
      #   is that which is interrupted
      # @param exception [Exception] raised as it is
      # @return [void]
      def fiber_interrupt(fiber, exception)
        return if closed? || !fiber.alive? || !mark_interrupted(fiber)

        deliver(Notice.new(self, fiber, exception), 0)
        nil
      end

      # Interrupt every fiber that waits, but the running one.
      # @return [void]
      def interrupt_all(exception)
        fibers = waits.map { |_fiber, owner| owner }.uniq - [Fiber.current]
        fibers.each { |fiber| fiber_interrupt(fiber, exception) }
      end

      # Hook of Timeout.timeout.
      #
      # @param duration [Numeric] seconds
      # @param klass [Class, Exception] what to raise; Timeout's own class is hidden within the
      #   block
      # @param message [String, nil]
      # @yieldparam duration [Numeric]
      # @return [Object] the block's value
      def timeout_after(duration, klass, message = nil, &block)
        return hidden(duration, klass, message, &block) if timeouts_own?(klass)

        limited(duration, klass.exception(*message), &block)
      end

      # Called by a {Notice} when its turn has come.
      # @return [Object, nil] the wait that it ends
      def strike(notice)
        fiber = notice.fiber
        wait = fail_wait(fiber, notice.error) and return wait

        postpone(fiber, notice) if fiber.alive?
        nil
      end

      private

      def limited(duration, error)
        notice = Notice.new(self, Fiber.current, error)
        timer = engine.after(interval(duration), notice)
        yield duration
      ensure
        notice&.withdraw
        engine.disarm(timer) if timer && !closed?
        forget(notice) if notice
      end

      # Timeout on threads raises a Timeout::ExitException in the block, so that no `rescue =>
      # error` and no `rescue Timeout::Error` there takes it for its own error: a driver would
      # connect again and go on. The versions of Ruby 3.3 and 3.4 hand their public class to
      # schedulers instead.
      def hidden(duration, klass, message, &block)
        error = ::Timeout::ExitException.new(message)
        limited(duration, error, &block)
      rescue ::Timeout::ExitException => late
        raise unless late.equal?(error)

        raise klass, message
      end

      def timeouts_own?(klass)
        defined?(::Timeout::ExitException) && klass.equal?(::Timeout::Error)
      end

      def init_interrupt
        # fiber => those it will meet at its next wait; touched by the loop's thread alone
        @notices = ObjectSpace::WeakKeyMap.new
        @postponed = 0 # how many there are; more when a fiber was collected with its own
      end

      def postpone(fiber, notice)
        @notices[fiber] = @notices[fiber].to_a | [notice]
        count_postponed(1)
      end

      def count_postponed(change)
        self.postponed_interrupts = @postponed += change
      end

      # @param owner [Fiber] the scheduler's fiber that begins to wait
      # @param fiber [Fiber] the one in it that does: another one when it is resuming an Enumerator
      # @return [Exception, nil] what it has to meet first
      def take_postponed(owner, fiber)
        notice = take(owner) || (take(fiber) unless owner.equal?(fiber))
        notice&.error
      end

      def take(fiber)
        notices = @notices[fiber] or return

        before = notices.size
        notice = notices.shift
        notice = notices.shift while notice&.withdrawn?
        @notices.delete(fiber) if notices.empty?
        count_postponed(notices.size - before)
        notice
      end

      def forget(notice)
        notices = @notices[notice.fiber] or return

        count_postponed(-1) if notices.delete(notice)
        @notices.delete(notice.fiber) if notices.empty?
      end
    end
  end
end
