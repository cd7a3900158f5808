# frozen_string_literal: true

module Raffia
  class Actor
    # Timers of an actor's object: their blocks run as messages of the actor, and end with the
    # object.
    #
    # {ActorCore} makes this with the first timer.
    #
    # @api private
    class Timers
      # The block of a timer. It is in the mailbox once at most.
      class TimerMessage < Message
        def initialize(core, timer, block)
          super(core, :timer, nil, nil, block, nil, nil, nil)
          @timer = timer
          @queued = false
        end

        def queued? = @queued

        def enqueue
          @queued = true
          self
        end

        def droppable? = false

        def unwanted? = @timer.cancelled?

        def invoke(object)
          @queued = false
          object.instance_exec(&@block)
        end
      end

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

      # A message without room is left out: the next one follows, or the actor is busy.
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
