# frozen_string_literal: true

module Raffia
  class Actor
    # Runs one message of an actor that waits, in another message, for the sender of this one.
    #
    # It does not acquire the actor. When its method fails, the executor that waits ends the object.
    #
    # @api private
    class NestedExecution
      def initialize(core, message)
        @core = core
        @message = message
        @execution = core.execution
        @object = @execution.object
      end

      def start
        executor = @core.executor
        executor.reenter { executor.enter(@core) { |scope| attend(scope) } }
      end

      private

      def attend(scope)
        outer = @execution.current
        unless @core.lock.hold { @execution.enter_nested(scope) }
          return died(@core.lifecycle.exit_signal)
        end

        run(scope)
      ensure
        @core.lock.hold { @execution.leave_nested(scope) }
        @execution.current = outer
      end

      def run(scope)
        @execution.run(@message, scope)
        through = true
      rescue Exception => error # standard:disable Lint/RescueException
        through = true
        failed(error)
      ensure
        # Thread#kill and Fiber#kill get past every rescue.
        failed(ActorDied.new(ref: @core.ref, reason: :killed)) unless through
      end

      def failed(error)
        signal = @core.lifecycle.exit_signal
        return died(signal) if signal && error.is_a?(Cancel)

        if !@execution.callers?(@message, error) && @execution.object.equal?(@object)
          @core.receive_exit(ExitSignal.new(@execution.reason_of(error), @core.parent.nil?))
        end
        @message.reply&.fail(error)
        raise error if error.is_a?(::SignalException)
      end

      def died(signal)
        reason = signal ? signal.reason : @core.reason # a restart may have taken the signal
        @message.reply&.fail(ActorDied.new(ref: @core.ref, reason: reason))
      end
    end
  end
end
