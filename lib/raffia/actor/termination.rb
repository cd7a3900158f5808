# frozen_string_literal: true

module Raffia
  class Actor
    # Ends an actor's object by its exit signal, and the actor when no other object may follow.
    #
    # @api private
    class Termination
      def initialize(core)
        @core = core
        @lifecycle = core.lifecycle
        @scope = nil
      end

      def call
        reason, nested = @core.lock.hold { [@lifecycle.lose_object, @core.execution.leave] }
        nested&.each { |scope| scope.cancel(reason) }
        @lifecycle.exit_signal.log(@core.supervised?)
        end_object(reason)
      ensure # on_stop, too, can end its own thread or fiber
        conclude(@lifecycle.exit_signal, @lifecycle.reason)
      end

      # Interrupts `on_stop`, which a kill does not.
      def abandon = @scope&.cancel(:killed)

      private

      def end_object(reason)
        object = @core.release_object
        report(reason) unless reason == :normal || reason == :shutdown
        stop(object, reason) if object
      rescue Exception => error # standard:disable Lint/RescueException
        Actor.log_error("#{@core.label}: on_stop failed", error)
      ensure
        @core.fail_deferred(reason)
      end

      def stop(object, reason)
        executor = @core.executor
        executor.enter(@core) do |scope|
          @scope = scope
          executor.expose(scope) { @core.execution.hook(object, :on_stop, reason) }
        ensure
          @scope = nil
        end
      end

      def report(reason)
        Raffia.instrument.emit(:actor_died) do
          {ref: @core.ref, reason: reason, supervised: @core.supervised?}
        end
      end

      def conclude(signal, reason)
        suspended = @core.lock.hold { @lifecycle.suspend && @core.execution.forget_current }
        suspended ? @core.announce(reason) : @core.die(reason)
        signal.answer
        @core.notify_parent(reason)
      end
    end
  end
end
