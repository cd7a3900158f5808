# frozen_string_literal: true

module Raffia
  class Actor
    # Makes an actor's object, handles its messages one at a time, calls its hooks.
    #
    # Its methods run in the actor's executor, by whoever acquired the {Lifecycle}.
    #
    # @api private
    class Execution
      # Messages handled before other actors get their turn.
      BATCH = 64

      attr_reader :object, :handled
      attr_accessor :current

      def initialize(core)
        @core = core
        @executor = core.executor
        @lifecycle = core.lifecycle
        @handled = 0
        @object = @current = @scope = @nested = nil
      end

      # Makes an object, the first one or another after a restart. Returns the error when there is
      # none.
      def start
        parent = Message.current
        @core.group.add(@core) if @lifecycle.restarts.zero?
        @executor.run { make(parent) }
      rescue Closed => error # before it began
        not_started(error)
      rescue Exception # standard:disable Lint/RescueException
        # The caller does not wait any longer, and nobody else would know the actor.
        @core.receive_exit(ExitSignal.new(:cancelled, !@core.supervised?))
        raise
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

      # Calls a method of the object's that has no caller. Without an object, the block makes it.
      def hook(object, name, *arguments, parent: nil)
        Message.new(@core, name, arguments, nil, nil, nil, nil, parent).handle do
          object ||= yield
          object.__send__(name, *arguments)
        end
      end

      def scopes = [@scope, *@nested].compact

      # The executor leaves its scope. Returns the scopes of nested messages, which go on.
      def leave
        @scope = nil
        @nested&.dup
      end

      def release_object = @object.tap { @object = nil }

      def forget_current
        @current = nil
        true
      end

      def clear = @object = @scope = @current = nil

      def enter_nested(scope) = !@lifecycle.exit_signal && !!((@nested ||= []) << scope)

      def leave_nested(scope) = @nested&.delete(scope)

      # Handles one message, and raises what its method raised.
      def run(message, scope)
        return if message.unwanted?
        return message.reply&.fail(message.deadline.error) if message.deadline&.expired?

        @handled += 1
        @current = message
        value = message.handle { answer(message, scope) }
        message.reply&.settle(value) unless message.postponed
      end

      def reason_of(error)
        (error.is_a?(ActorDied) && error.ref == @core.ref && error.reason) || error
      end

      # Whether the error is the caller's alone, and does not end the object.
      def callers?(message, error)
        error.is_a?(TimeoutError) && message.deadline&.expired? || error.equal?(message.refusal) ||
          @core.settings.expects.any? { |kind| kind === error }
      end

      private

      def make(parent)
        @executor.enter(@core) do |scope|
          @core.lock.hold do
            check_signal
            @scope = scope
          end
          @executor.expose(scope) { make_object(parent) }
        end
        through = true
        started
      rescue Exception => error # standard:disable Lint/RescueException
        through = true
        if error.is_a?(Cancel) && @lifecycle.exit_signal
          error = ActorDied.new(ref: @core.ref, reason: @lifecycle.exit_signal.reason)
        end
        not_started(error)
      ensure
        not_started(:killed) unless through # Thread#kill and Fiber#kill get past every rescue
      end

      def make_object(parent)
        reason = @lifecycle.reason
        hook(nil, :on_start, parent: parent) { @object = @executor.build(@core.factory, @core) }
        hook(@object, :on_restart, reason, parent: parent) if @lifecycle.restarts.positive?
      end

      def started
        more = @core.lock.hold do
          @scope = nil
          @lifecycle.started(!@core.mailbox.empty?)
        end
        @executor.go_on(self) if more
        nil
      end

      def not_started(error)
        @core.release_object
        outcome = @core.lock.hold { @lifecycle.restart_failed }
        # A supervisor that ends itself does not wait for what it has restarted.
        @core.notify_parent(error) if outcome == :interrupted && @core.supervised?
        return error if outcome

        @core.die(error)
        @core.notify_parent(error) unless @lifecycle.restarts.zero?
        error
      end

      def work_through(scope)
        Message.clear_current
        lock = @core.lock
        BATCH.times do
          message = lock.hold { take(scope) } or return false
          obey(message) if message.is_a?(StopMessage)
          perform(message, scope)
        end
        lock.hold { @scope = nil }
        true
      end

      # Returns nil when there is no message: then nobody executes the actor any longer.
      def take(scope)
        check_signal
        @current = @core.mailbox.shift
        @scope = @current ? scope : @lifecycle.release
        @current
      end

      def check_signal
        signal = @lifecycle.exit_signal and raise Cancel.new(signal.reason, origin: @core)
      end

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

      # Ends the object by raising Cancel; the caller gets the error afterwards.
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
