# frozen_string_literal: true

require "timeout"
require_relative "item_failure"
require_relative "promise"
require_relative "validation"

module Raffia
  class Pool
    # The outcome of a call that was submitted to a pool. Any number of fibers and threads may wait
    # for it.
    class Future < Promise
      # In a thread {Cancel} is held off but for the time of the block.
      HELD = {Cancel => :never}.freeze
      FREE = {Cancel => :immediate}.freeze
      private_constant :HELD, :FREE

      # @param block [Proc, nil] nil when the worker has it
      # @api private
      def initialize(coordinator, number, arguments, block)
        super(coordinator)
        @number = number
        @arguments = arguments
        @block = block
        @deadline = Raffia.deadline
        @failures = 0
        @runner = @notice = nil
      end

      # Chains a block on the result. It runs in the worker that ends this future, right after it
      # (for +:processes+ and +:ractors+ in the thread of this process that serves the worker), or
      # at once if this future has ended.
      #
      # When this future fails or is cancelled the block does not run, and the returned one ends
      # likewise.
      #
      # @yieldparam value [Object]
      # @return [Future] of the block's value
      def then(&block)
        raise Validation.no_block("then") unless block

        follow(Continuation.new(@coordinator, self, block))
      end

      # Cancels it before it begins, or stops it as far as its strategy can.
      #
      # @param reason [Object, nil] for callers of {value}; the work finds it in the {Cancel} that
      #   is raised in it
      # @return [Symbol, false] what it took. +:waiting+: it had not begun. +:interrupted+: {Cancel}
      #   is raised where the work waits (on +:threads+ almost anywhere); {wait} says when it has
      #   ended. +:killed+: its worker process was ended. +:abandoned+: its Ractor is left to work
      #   on unheard. +:dropped+: it goes on, or has been done, and its result is lost. false: it
      #   had ended
      def cancel(reason = nil)
        return :waiting if withdraw(reason)

        @coordinator.interrupt(self, reason)
      end

      # @return [String]
      def inspect = "#<#{self.class} #{@number} #{@status}>"

      # @!visibility private

      attr_reader :arguments, :number, :deadline

      # The item as error messages name it.
      def subject = (@arguments.size == 1) ? @arguments.first : @arguments

      # The worker did not get to it.
      def put_back = @coordinator.lock.hold { @status = :pending if @status == :running }

      # An attempt has failed.
      def reject(failure)
        fail_with(failure) unless @coordinator.again?(self, failure, @failures += 1)
      rescue => error
        # The caller's +backoff:+ may raise, too.
        fail_with(Executor::Failure.of(error))
      end

      # Runs it, if a worker of the pool waits for it.
      def help = @coordinator.help(self)

      # Runs it here, where it can be interrupted. The worker does other work afterwards, so an
      # interrupt is raised in this run or never.
      #
      # In a fiber it has a cancel scope of its own, as tasks and timeouts do. To a thread a
      # {Cancel} is only sent, under the pool's lock, while the future runs; so at its end either
      # none was sent, or it waits to be taken back ({#disarm}).
      def run
        ::Fiber.current_scheduler ? in_fiber : ::Thread.handle_interrupt(HELD) { in_thread }
      end

      # False when it was cancelled before. `runner`: the Thread or CancelScope where it can be
      # interrupted.
      def start(runner = nil)
        @coordinator.lock.hold do
          next false unless @status == :pending

          @runner = runner
          @status = :running
        end && true
      end

      # :interrupted; false when it does not run, or was interrupted already.
      def interrupt(reason)
        scope = @coordinator.lock.hold do
          next unless @status == :running && @runner && @notice.nil?
          next @runner unless @runner.is_a?(::Thread)

          @runner.raise(@notice = Cancel.new(reason, origin: self))
          return :interrupted
        end
        scope&.cancel(reason) ? :interrupted : false
      end

      private

      def retire = @coordinator.remove(self)

      def fail_with(failure)
        settle(:failed, @arguments.empty? ? ItemFailure.new(failure, nil, nil) :
          ItemFailure.new(failure, subject, @number))
      end

      # The submitter's deadline holds here, too.
      def perform = @deadline ? @deadline.enforce { attempt } : attempt

      def attempt
        limit = @coordinator.item_timeout
        limit ? Raffia.timeout(limit) { @block.call(*@arguments) } : @block.call(*@arguments)
      end

      def in_fiber
        started = false
        value = CancellationStack.enter(self) { |scope| perform if (started = start(scope)) }
        fulfil(value) if started
      rescue Exception => error # standard:disable Lint/RescueException
        failed(error)
      end

      def in_thread
        return unless start(::Thread.current)

        begin
          value = ::Thread.handle_interrupt(FREE) { perform }
        rescue Exception => error # standard:disable Lint/RescueException
          # Before another attempt, maybe by another thread.
          return failed(disarm || error)
        end
        # Before the result is used: an interrupt of this run is not for its followers.
        disarm
        fulfil(value)
      end

      def failed(error)
        unless error.is_a?(Cancel) || error.is_a?(::Timeout::ExitException)
          return reject(Executor::Failure.of(error))
        end

        settle(:cancelled, error.is_a?(Cancel) ? error.reason : error)
        raise error unless error.is_a?(Cancel) && error.origin.equal?(self)
      end

      # No interrupt is sent from here on. Returns the one that was.
      def disarm
        notice = @coordinator.lock.hold do
          @runner = nil
          @notice.tap { @notice = nil }
        end
        # Raising an exception gives it its backtrace.
        absorb(notice) if notice && !notice.backtrace
        notice
      end

      def absorb(notice)
        ::Thread.handle_interrupt(FREE) { ::Thread.pass }
      rescue Cancel => cancel
        raise unless cancel.equal?(notice)
      end
    end
  end
end

require_relative "future/continuation"
