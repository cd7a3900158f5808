# frozen_string_literal: true

require_relative "../base/error"
require_relative "../task"
require_relative "interrupt_backtrace"
require_relative "future/execution"
require_relative "item_failure"
require_relative "validation"

module Raffia
  class Pool
    # The outcome of a call that was submitted to a pool. Any number of fibers and threads may wait
    # for it.
    class Future
      include Execution

      # @param coordinator [Persistent::Coordinator]
      # @param number [Integer] counted from 0 over the life of the pool
      # @param arguments [Array]
      # @param block [Proc, nil] nil when the worker has it
      # @api private
      def initialize(coordinator, number, arguments, block)
        @coordinator = coordinator
        @number = number
        @arguments = arguments
        @block = block
        @deadline = Raffia.deadline
        @status = :pending
        @failures = 0
        @waiters = @followers = @runner = @notice = nil
      end

      # @return [Symbol] :pending, :running, :done, :failed or :cancelled
      attr_reader :status

      # @return [Boolean] whether it has ended, in whichever way
      def done? = @status != :pending && @status != :running

      # Wait for the result.
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

      # Wait for the end, whichever it is.
      # @param timeout [Numeric, nil] seconds
      # @return [Future, nil] nil when it has not ended within that time
      def wait(timeout = nil)
        Validation.seconds(:timeout, timeout)
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

      # Chain a block on the result. It runs in the worker that ends this future, right after it
      # (for +:processes+ and +:ractors+ in the thread of this process that serves the worker), or
      # here and now if it has ended.
      #
      # When this future fails or is cancelled the block does not run, and the returned one ends
      # likewise.
      #
      # @yieldparam value [Object]
      # @return [Future] of the block's value
      def then(&block)
        Validation.block("then", block)
        Continuation.new(@coordinator, self, block).tap do |follower|
          unless @coordinator.exclusive { done? ? nil : (@followers ||= []) << follower }
            follower.resolve
          end
        end
      end

      # Cancel it before it begins, or stop it as far as its strategy can.
      #
      # @param reason [Object, nil] for whoever asks for the value; the work finds it in the
      #   {Cancel} that is raised in it
      # @return [Symbol, false] what it took. +:waiting+: it had not begun. +:interrupted+: {Cancel}
      #   is raised where the work waits (on +:threads+ almost anywhere); it has ended when {wait}
      #   says so. +:killed+: its worker process was ended. +:abandoned+: its Ractor is left alone
      #   with it. +:dropped+: it goes on, or has been done, and nobody will hear of it. false: it
      #   had ended
      def cancel(reason = nil)
        return :waiting if withdraw(reason)

        @coordinator.interrupt(self, reason)
      end

      # @return [Exception, nil] what it failed with; nil as long as it has not
      def error
        (@status == :failed) ? @result.error : nil
      end

      # @return [String]
      def inspect = "#<#{self.class} #{@number} #{@status}>"

      # @!visibility private

      # @return [Array] of the block
      attr_reader :arguments
      # @return [Integer] futures of the pool before this one
      attr_reader :number

      # Cancel it if it has not begun.
      # @return [Boolean] whether that was so
      def withdraw(reason = nil) = settle(:cancelled, reason, from: :pending)

      # @return [Object] the item, for people
      def subject = (@arguments.size == 1) ? @arguments.first : @arguments

      # It will not come to an end any more.
      # @return [Boolean] false when it has come to one
      def cut_off(reason) = settle(:cancelled, reason)

      # The worker did not get to it.
      def put_back = @coordinator.exclusive { @status = :pending if @status == :running }
      def fulfil(value) = settle(:done, value)

      # An attempt has failed.
      def reject(failure)
        fail_with(failure) unless @coordinator.again?(self, failure, @failures += 1)
      rescue => error
        # The caller's +backoff:+ may raise, too.
        fail_with(Executor::Failure.of(error))
      end

      # @return [Deadline, nil] of the submitter
      attr_reader :deadline

      # A worker of the pool that waits for it may have to do it.
      def help = @coordinator.help(self)

      # @return [Boolean] whether nobody but this one goes on from here
      def followed_by?(follower)
        @coordinator.exclusive { @followers&.all? { |one| one.equal?(follower) } } || false
      end

      protected

      # @return [Object] of the end: a value, a {ItemFailure} or a reason
      attr_reader :result

      # @return [Boolean] whether this was the end
      def settle(status, result, from: nil)
        waiters, followers = @coordinator.exclusive do
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

      # Under the pool's guard.
      def retire = @coordinator.futures.remove(self)

      # A worker that is stopped in the middle of this does not come back to the others.
      def pass_on(followers)
        followers.each(&:resolve)
        through = true
      ensure
        followers.each { |follower| follower.cut_off(:pool_terminated) } unless through
      end

      def fail_with(failure)
        settle(:failed, @arguments.empty? ? ItemFailure.new(failure, nil, nil) :
          ItemFailure.new(failure, subject, @number))
      end

      def enlist(waiter)
        @coordinator.exclusive { done? ? false : (@waiters ||= []) << waiter }
      end
    end
  end
end

require_relative "future/continuation"
