# frozen_string_literal: true

require_relative "interrupt_backtrace"
require_relative "validation"

module Raffia
  class Pool
    # A value that comes later, and can be waited for by any number of fibers and threads. A
    # {Future} is one that a call brings.
    class Promise
      # @api private
      def initialize(coordinator)
        @coordinator = coordinator
        @status = :pending
        @waiters = @followers = nil
      end

      # @return [Symbol] :pending, :running, :done, :failed or :cancelled
      attr_reader :status

      # @return [Boolean] whether it has ended, in any way
      def done? = @status != :pending && @status != :running

      # Waits for the result.
      # @param timeout [Numeric, nil] seconds; the work itself goes on after them
      # @return [Object]
      # @raise [TimeoutError] when there is no result within that time
      # @raise [Cancelled] when it was cancelled, or its pool was terminated
      # @raise [Exception] what the block raised
      def value(timeout = nil)
        wait(timeout) or raise TimeoutError.new(seconds: timeout)
        case @status
        when :done then @result
        when :cancelled then raise Cancelled.new(reason: @result)
        else @result.deliver
        end
      rescue Interrupt => interrupt # one that struck when the wait was over
        raise InterruptBacktrace.trim(interrupt)
      end

      # Waits for the end, in any way.
      # @param timeout [Numeric, nil] seconds
      # @return [self, nil] nil when it has not ended within that time
      def wait(timeout = nil)
        Validation.seconds(timeout:) if timeout
        return self if done?

        help
        until done?
          waiter = Waiter.new
          return if enlist(waiter) && waiter.wait(timeout) == Waiter::TIMED_OUT
        end
        self
      rescue Interrupt => interrupt
        raise InterruptBacktrace.trim(interrupt)
      end

      # @return [Exception, nil] what it failed with; nil as long as it has not
      def error
        (@status == :failed) ? @result.error : nil
      end

      # @!visibility private

      # Cancels it if it has not begun; says whether that was so.
      def withdraw(reason = nil) = settle(:cancelled, reason, from: :pending)

      def cut_off(reason) = settle(:cancelled, reason)

      def fulfil(value) = settle(:done, value)

      # Adds a {Continuation}, or resolves it when this has ended.
      def follow(follower)
        waits = @coordinator.lock.hold { done? ? nil : (@followers ||= []) << follower }
        follower.resolve unless waits
        follower
      end

      def followed_by?(follower)
        @coordinator.lock.hold { @followers&.all? { |one| one.equal?(follower) } } || false
      end

      protected

      # A value, an {ItemFailure}, or the reason of a cancellation.
      attr_reader :result

      def settle(status, result, from: nil)
        waiters, followers = @coordinator.lock.hold do
          return false if from ? @status != from : done?

          @result = result
          @status = status
          retire
          [@waiters, @followers]
        end
        @block = nil
        waiters&.each(&:settle)
        pass_on(followers) if followers
        true
      end

      private

      # A worker that is stopped in the middle of this does not come back to the others.
      def pass_on(followers)
        followers.each(&:resolve)
        through = true
      ensure
        followers.each { |follower| follower.cut_off(:pool_terminated) } unless through
      end

      def enlist(waiter)
        @coordinator.lock.hold { done? ? false : (@waiters ||= []) << waiter }
      end
    end
  end
end
