# frozen_string_literal: true

require "timeout"
require_relative "../../base/error"
require_relative "../../task"
require_relative "../work"

module Raffia
  class Pool
    class Future
      # The run of a {Future}, where it can be interrupted. The worker does other work afterwards,
      # so an interrupt is raised in this run or never.
      #
      # * In a fiber it is a region of its own, as tasks and timeouts are.
      # * In a thread {Cancel} is held off but for the time of the block. One is only sent, under
      #   the pool's guard, to a future that runs; so when that has ended, either none was sent, or
      #   it waits to be taken off the air.
      #
      # @api private
      module Execution
        HELD = {Cancel => :never}.freeze
        FREE = {Cancel => :immediate}.freeze
        private_constant :HELD, :FREE

        # Run it here.
        def run
          ::Fiber.current_scheduler ? in_fiber : ::Thread.handle_interrupt(HELD) { in_thread }
        end

        # @return [Symbol, false] :interrupted; false when it does not run, or was told already
        def interrupt(reason)
          region = @coordinator.exclusive do
            next unless @status == :running && @runner && @notice.nil?
            next @runner unless @runner.is_a?(::Thread)

            @runner.raise(@notice = Cancel.new(reason, origin: self))
            return :interrupted
          end
          region&.cancel(reason) ? :interrupted : false
        end

        # @param runner [Thread, CancelScope, nil] of its worker, where it can be interrupted
        # @return [Boolean] false when it was cancelled before
        def start(runner = nil)
          @coordinator.exclusive do
            next false unless @status == :pending

            @runner = runner
            @status = :running
          end && true
        end

        private

        # The submitter's deadline holds here, too.
        def perform = @deadline ? @deadline.enforce { attempt } : attempt

        def attempt
          limit = @coordinator.item_timeout
          limit ? Raffia.timeout(limit) { @block.call(*@arguments) } : @block.call(*@arguments)
        end

        def in_fiber
          started = false
          value = CancellationStack.enter(self) { |region| perform if (started = start(region)) }
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

        # No interrupt is sent from here on.
        # @return [Cancel, nil] what was
        def disarm
          notice = @coordinator.exclusive do
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
end
