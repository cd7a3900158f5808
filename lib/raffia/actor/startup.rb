# frozen_string_literal: true

module Raffia
  class Actor
    # Makes an actor's object: the first one, or another after a restart.
    #
    # @api private
    class Startup
      # @param core [ActorCore] which the caller executes
      def initialize(core)
        @core = core
      end

      # Adds the actor to its loop, then makes its first object.
      # @return [Exception, nil] why there is none
      def first
        @core.group.add(@core)
        call
      rescue Closed => error
        failed(error)
      end

      # @return [Exception, nil] why there is none
      def call
        parent = Message.current
        @core.executor.run { make(parent) }
      rescue Closed => error # before it began
        failed(error)
      rescue Exception # standard:disable Lint/RescueException
        # The caller does not wait any longer, and nobody else would know the actor.
        @core.receive_exit(ExitSignal.new(:cancelled, !@core.supervised?))
        raise
      end

      private

      # @param parent [Message, nil] in which the caller waits for this
      def make(parent)
        @core.execution.start(parent)
        through = true
        ready
      rescue Exception => error # standard:disable Lint/RescueException
        through = true
        signal = @core.lifecycle.exit_signal
        if signal && error.is_a?(Cancel)
          error = ActorDied.new(ref: @core.ref, reason: signal.reason)
        end
        failed(error)
      ensure
        failed(:killed) unless through # Thread#kill and Fiber#kill get past every rescue
      end

      def ready
        more = @core.lock.hold do
          @core.execution.leave
          @core.lifecycle.started(!@core.mailbox.empty?)
        end
        @core.executor.go_on(@core.execution) if more
        nil
      end

      def failed(error)
        @core.release_object
        outcome = @core.lock.hold { @core.lifecycle.restart_failed }
        # A supervisor that ends itself does not wait for what it has restarted.
        @core.notify_parent(error) if outcome == :interrupted && @core.supervised?
        return error if outcome

        @core.die(error)
        @core.notify_parent(error) unless @core.lifecycle.restarts.zero?
        error
      end
    end
  end
end
