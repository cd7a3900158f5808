# frozen_string_literal: true

module Raffia
  class Actor
    # The answer of an actor, which may come later. Any fiber or thread may wait for it.
    class Future
      # @api private
      def initialize
        @lock = SpinLock.new
        @status = :pending
        @waiters = @followers = @message = nil
      end

      # The message that this answers.
      # @api private
      attr_writer :message

      # @return [Symbol] :pending, :done, :failed or :cancelled
      attr_reader :status

      # @return [Exception, nil] what it failed with
      def error = (@result if @status == :failed)

      # @return [Boolean] whether it has ended, in whichever way
      def done? = @status != :pending

      # Wait for the answer.
      # @param timeout [Numeric, nil] seconds; the actor goes on after them
      # @return [Object]
      # @raise [TimeoutError, Cancelled, ActorDied]
      # @raise [Exception] what the method raised
      # @raise [CallCycle] when the actor waits for the one that calls this
      def value(timeout = nil)
        wait(timeout) or raise TimeoutError.new(seconds: timeout)
        case @status
        when :done then @result
        when :failed then raise @result, cause: @result.cause
        else raise Cancelled.new(reason: @result)
        end
      end

      # Wait for the end, whichever it is.
      # @param timeout [Numeric, nil] seconds
      # @return [Future, nil] nil when it has not ended within that time
      def wait(timeout = nil)
        Deadline.seconds(timeout) if timeout
        waiter = @lock.hold { (@waiters ||= []) << Waiter.new unless done? }&.last or return self
        (await(waiter, timeout) == Waiter::TIMED_OUT) ? nil : self
      ensure
        @lock.hold { @waiters&.delete(waiter) } if waiter
      end

      # Runs the block with the answer, where that is given, or now if it is there. It must not wait
      # for long. If this future fails or is cancelled, the returned one does, too.
      # @yieldparam value [Object]
      # @return [Future] of the block's value
      def then(&block)
        raise ConfigError, "then needs a block: what to do with the value" unless block

        Future.new.tap do |follower|
          on_end { |status, result| follower.follow(status, result, block) }
        end
      end

      # The answer is not wanted any more. A message that waits will not be handled.
      # @param reason [Object, nil]
      # @return [Boolean] whether it had not ended
      def cancel(reason = nil) = conclude(:cancelled, reason)

      # @return [String]
      def inspect = "#<#{self.class} #{status}>"

      # @api private
      def settle(value = nil) = conclude(:done, value)

      # @api private
      def fail(error) = conclude(:failed, error)

      # In a forked child, which has no waiters.
      # @api private
      def invalidate_after_fork(error)
        @waiters = nil
        self.fail(error)
      end

      # @api private
      def settled? = done?

      # Ends as the block does.
      # @api private
      def attempt
        settle(yield)
      rescue Exception => error # standard:disable Lint/RescueException
        self.fail(error)
      ensure
        unless done?
          self.fail(WorkerDied.new("its thread or fiber was killed: Thread.exit and Fiber#kill " \
            "end more than a method"))
        end
      end

      # Calls the block with status and result at the end; now, if that has come.
      # @api private
      def on_end(&block)
        later = @lock.hold { (@followers ||= []) << block unless done? }
        yield @status, @result unless later
      end

      protected

      def follow(status, result, block)
        return conclude(status, result) unless status == :done

        settle(block.call(result))
      rescue Exception => error # standard:disable Lint/RescueException
        self.fail(error)
      end

      private

      def await(waiter, timeout)
        waiting = Message.current
        return waiter.wait(timeout) unless waiting && @message && timeout.nil?

        waiting.await(@message) { waiter.wait }
      end

      def conclude(status, result)
        waiters, followers = @lock.hold do
          return false if done?

          @result = result
          @status = status
          @message = nil
          [@waiters, @followers].tap { @waiters = @followers = nil }
        end
        waiters&.each(&:settle)
        followers&.each { |follower| follower.call(status, result) }
        true
      end
    end
  end
end
