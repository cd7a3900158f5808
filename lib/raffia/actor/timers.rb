# frozen_string_literal: true

module Raffia
  class Actor
    # Timers of an actor's object. Their blocks run as messages of the actor, and end with its
    # object.
    #
    # {ActorCore} makes this with the first timer.
    #
    # @api private
    class Timers
      def initialize(core)
        @core = core
        @timers = {}.compare_by_identity
      end

      def start(seconds, repeat, &block)
        message = nil
        timer = @core.group.timer(method(:forget)) do
          fire(message)
          seconds if repeat
        end
        message = TimerMessage.new(@core, timer, block)
        kept = @core.lock.hold { !@core.dead? && @timers[timer] = true }
        kept ? timer.arm(seconds) : timer.cancel
        timer
      end

      def cancel_all = @core.lock.hold { @timers.keys }.each(&:cancel)

      def size = @timers.size

      private

      # A message for which there is no room is left out: the next one follows, or the actor is
      # busy.
      def fire(message)
        @core.insert do
          if message.queued? || @core.mailbox.full? || !@core.alive? || @core.status == :restarting
            next
          end

          @core.mailbox.append(message.enqueue)
          true
        end
      end

      def forget(timer) = @core.lock.hold { @timers.delete(timer) }
    end
  end
end
