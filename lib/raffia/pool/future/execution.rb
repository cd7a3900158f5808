# frozen_string_literal: true

require "timeout"
require_relative "../../base/error"
require_relative "../../task"
require_relative "../work"

module Raffia
  class Pool
    class Future
      # How a {Future} runs where it can be stopped. The worker does other work afterwards, so
      # whatever is sent to this one must be raised in it, or never.
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
        # @return [void]
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

        private

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
            # Before it is tried again, maybe by another thread.
            return failed(disarm || error)
          end
          # Before anybody goes on from the result: what was sent to this one is not for him.
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

        # From here on nothing is sent.
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
