# frozen_string_literal: true

require_relative "../base/error"
require_relative "../task"
require_relative "mishap"

module Raffia
  class Pool
    # What becomes of a piece of work that was submitted to a pool. Fibers and threads may wait for it, any number of them.
    class Future
      # @return [Array] what the block is called with
      # @api private
      attr_reader :arguments
      # @return [Integer] how many were submitted to the pool before
      # @api private
      attr_reader :number

      # @param pool [Pool]
      # @param number [Integer] counted from 0 over the life of the pool
      # @param arguments [Array]
      # @param block [Proc, nil] nil when the worker has it
      # @api private
      def initialize(pool, number, arguments, block)
        @pool = pool
        @number = number
        @arguments = arguments
        @block = block
        @deadline = Raffia.deadline
        @status = :pending
        @waiters = nil
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
      end

      # Wait for the end, whichever it is.
      # @param timeout [Numeric, nil] seconds
      # @return [Future, nil] nil when it has not ended within that time
      def wait(timeout = nil)
        Check.seconds(:timeout, timeout)
        return self if done?

        @pool.help(self)
        until done?
          waiter = Waiter.new
          return if enlist(waiter) && waiter.wait(timeout) == Waiter::TIMED_OUT
        end
        self
      end

      # Ask that it not be done. What has begun goes on: only {Pool#terminate} stops that.
      # @param reason [Object, nil]
      # @return [Boolean] whether it will not be done
      def cancel(reason = nil) = settle(:cancelled, reason, from: :pending)

      # @return [Exception, nil] what it failed with; nil as long as it has not
      def error
        (@status == :failed) ? @result.error : nil
      end

      # What a person would call the item.
      # @api private
      def subject = (@arguments.size == 1) ? @arguments.first : @arguments

      # Run it here.
      # @api private
      def run
        return unless start

        # Whoever submitted this under a deadline has no more time for it elsewhere.
        fulfil(@deadline ? @deadline.enforce { @block.call(*@arguments) } : @block.call(*@arguments))
      rescue Cancel, ::Timeout::ExitException => stop
        settle(:cancelled, stop.is_a?(Cancel) ? stop.reason : stop)
        raise
      rescue Exception => error # standard:disable Lint/RescueException
        reject(Work.failure(error, 0))
      end

      # A worker takes it.
      # @return [Boolean] false when it was cancelled before
      # @api private
      def start = @pool.exclusive { @status == :pending && @status = :running } && true

      # It will not come to an end any more.
      # @api private
      def cut_off(reason) = settle(:cancelled, reason)

      # The worker did not get to it.
      # @api private
      def put_back = @pool.exclusive { @status = :pending if @status == :running }

      # @api private
      def fulfil(value) = settle(:done, value)

      # @param failure [Failure]
      # @api private
      def reject(failure)
        settle(:failed, @arguments.empty? ? Mishap.new(failure, nil, nil) : Mishap.new(failure, subject, @number))
      end

      # @return [String]
      def inspect = "#<#{self.class} #{@number} #{@status}>"

      private

      # @return [Boolean] whether this was the end
      def settle(status, result, from: nil)
        waiters = @pool.exclusive do
          return false if from ? @status != from : done?

          @result = result
          @status = status
          @pool.forget(self)
          @waiters
        end
        @block = nil
        waiters&.each(&:settle)
        true
      end

      def enlist(waiter)
        @pool.exclusive { done? ? false : (@waiters ||= []) << waiter }
      end
    end
  end
end
