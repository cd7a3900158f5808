# frozen_string_literal: true

module Raffia
  class Actor
    # Runs an actor's object: makes it, handles its messages one at a time, calls its hooks.
    #
    # Its methods run in the actor's executor, by whoever acquired the {Lifecycle}.
    #
    # @api private
    class Execution
      # Messages handled before other actors get their turn.
      BATCH = 64

      # @return [Actor, nil]
      attr_reader :object
      # @return [Message, nil] which is handled, or was last
      attr_accessor :current
      # @return [Integer] messages handled
      attr_reader :handled

      def initialize(core)
        @core = core
        @executor = core.executor
        @lifecycle = core.lifecycle
        @handled = 0
        @object = @current = @scope = @nested = nil
      end

      # Makes the object and calls `on_start`, and `on_restart` for a following one.
      # @param parent [Message, nil] in which the caller waits for this
      # @raise [Cancel] when an exit signal has come
      def start(parent)
        @executor.enter(@core) do |scope|
          @core.lock.hold do
            check_signal
            @scope = scope
          end
          @executor.expose(scope) { make(parent) }
        end
      end

      # Handles some messages, and leaves the others to its next turn.
      def work
        more = Deadline.replace(nil) { @executor.enter(@core) { |scope| work_through(scope) } }
        through = true
        @executor.go_on(self) if more
      rescue Exception => error # standard:disable Lint/RescueException
        through = true
        @core.lock.hold { @lifecycle.end_by(ExitSignal.new(error, @core.parent.nil?)) }
        signal = [error, @lifecycle.exit_signal.error].grep(::SignalException).first
        @core.terminate
        # It was meant for the program, and only happened to arrive here.
        raise signal if signal
      ensure
        killed unless through # Thread#kill and Fiber#kill get past every rescue
      end

      # Calls a method of the object's that has no caller.
      # @param object [Actor, nil] nil: the block makes it
      def hook(object, name, *arguments, parent: nil)
        Message.new(@core, name, arguments, nil, nil, nil, nil, parent).handle do
          object ||= yield
          object.__send__(name, *arguments)
        end
      end

      # @return [Array<#cancel>] what a kill interrupts
      def scopes = [@scope, *@nested].compact

      # The executor leaves its scope.
      # @return [Array<#cancel>, nil] scopes of nested messages, which go on
      def leave
        @scope = nil
        @nested&.dup
      end

      # @return [Actor, nil] the object, which it has no longer
      def release_object = @object.tap { @object = nil }

      def forget_current
        @current = nil
        true
      end

      def clear = @object = @scope = @current = nil

      # @return [Boolean] false when an exit signal has come
      def enter_nested(scope) = !@lifecycle.exit_signal && !!((@nested ||= []) << scope)

      def leave_nested(scope) = @nested&.delete(scope)

      # Handles one message.
      # @raise [Exception] what its method raised
      def run(message, scope)
        return if message.unwanted?
        return message.reply&.fail(message.deadline.error) if message.deadline&.expired?

        @handled += 1
        @current = message
        value = message.handle { answer(message, scope) }
        message.reply&.settle(value) unless message.postponed?
      end

      # @return [Object] the reason for the actor's end: another object's error, without its
      #   wrapping
      def reason_of(error)
        (error.is_a?(ActorDied) && error.ref == @core.ref && error.reason) || error
      end

      # @return [Boolean] whether the error is the caller's alone, and does not end the object
      def callers?(message, error)
        error.is_a?(TimeoutError) && message.deadline&.expired? || error.equal?(message.refusal) ||
          @core.settings.expects.any? { |kind| kind === error }
      end

      private

      def make(parent)
        reason = @lifecycle.reason
        hook(nil, :on_start, parent: parent) { @object = @executor.build(@core.factory, @core) }
        hook(@object, :on_restart, reason, parent: parent) if @lifecycle.restarts.positive?
      end

      # @return [Boolean] whether there is more to do
      def work_through(scope)
        Message.clear_current
        lock = @core.lock
        lock.hold { @scope = scope }
        BATCH.times do
          message = lock.hold { take } or return false
          obey(message) if message.is_a?(StopMessage)
          perform(message, scope)
        end
        lock.hold { @scope = nil }
        true
      end

      # @return [Message, nil] nil: there is none, and nobody executes the actor any longer
      def take
        check_signal
        (@current = @core.mailbox.shift) || (@scope = @lifecycle.release)
      end

      def check_signal
        signal = @lifecycle.exit_signal and raise Cancel.new(signal.reason, origin: @core)
      end

      # All messages before the stop have been handled.
      # @raise [Cancel]
      def obey(stop)
        @core.lock.hold { @lifecycle.end_by(GracefulExit.new(stop.reason, stop.final?)) }
        raise Cancel.new(stop.reason, origin: @core)
      end

      def perform(message, scope)
        run(message, scope)
      rescue Exception => error # standard:disable Lint/RescueException
        failed(message, error)
      end

      def answer(message, scope)
        deadline = message.deadline or return @executor.expose(scope) { message.invoke(@object) }

        deadline.enforce { @executor.expose(scope) { message.invoke(@object) } }
      end

      # Ends the object; its caller hears of the error afterwards.
      # @raise [Cancel]
      def failed(message, error)
        # A cancel of the whole loop is no error of the method.
        error = ActorDied.new(ref: @core.ref, reason: error.reason) if error.is_a?(Cancel)
        signal = ExitSignal.new(reason_of(error), @core.parent.nil?, message, error)
        if @lifecycle.exit_signal.nil? && callers?(message, error)
          signal.log
          return signal.answer
        end
        other = @core.lock.hold { @lifecycle.end_by(signal) }
        message.reply&.fail(ActorDied.new(ref: @core.ref, reason: other.reason)) if other
        raise Cancel.new(@lifecycle.exit_signal.reason, origin: @core)
      end

      def killed
        error = ActorDied.new(ref: @core.ref, reason: :killed)
        @core.lock.hold do
          @lifecycle.end_by(ExitSignal.new(:killed, @core.parent.nil?, @current, error))
        end
        @core.terminate
      end
    end
  end
end
