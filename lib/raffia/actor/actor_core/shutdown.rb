# frozen_string_literal: true

module Raffia
  class Actor
    class ActorCore
      # Ends the actor, or its object only: a parent decides what follows.
      module Shutdown
        # Ends the object after the messages that wait. After a final stop no other object follows,
        # and no message is taken any more. Returns whether it was alive.
        def stop(reason, final: @parent.nil?)
          suspended = idle = nil
          @lock.hold do
            suspended = @lifecycle.suspended?
            return false if !alive? || (suspended && !final)

            idle = @lifecycle.acquire
            # Between two objects there is none that could handle a message.
            if suspended
              @lifecycle.end_by(ExitSignal.new(reason, true))
            else
              @mailbox.append(StopMessage.new(self, reason, final))
            end
            @lifecycle.transition(:stopping) if final
          end
          go_on(suspended) if idle
          true
        end

        # Ends the object without the messages that wait, and interrupts what it does. Returns
        # whether there was something to end.
        def kill(reason, final: @parent.nil? || reason == :shutdown)
          receive_exit(ExitSignal.new(reason.nil? ? :killed : reason, final))
        end

        # Ends the object after what it does now. The messages that wait are for the next one.
        def suspend(reason)
          insert { status == :running && @mailbox.urge(StopMessage.new(self, reason, false)) }
        end

        def receive_exit(signal)
          suspended = idle = scopes = nil
          @lock.hold do
            suspended = @lifecycle.suspended?
            signal = @lifecycle.receive(signal) or return false
            scopes = @execution.scopes
            idle = @lifecycle.acquire
          end
          scopes.each { |scope| scope.cancel(signal.reason) }
          go_on(suspended) if idle
          true
        end

        # Ends the actor: no other object follows. The executor calls this, or the parent after a
        # failure.
        def die(reason)
          # First: a caller that waits for the end may want the name.
          Registry.current.release(@name, ref) if @name
          waiting = @lock.hold do
            return unless @lifecycle.die(reason)

            @execution.clear
            @mailbox.clear
          end
          @factory.discard(reason)
          @group.remove(self)
          waiting.each { |reply| reply.fail(ActorDied.new(ref: ref, reason: reason)) }
          @links&.settle_joiners
          announce(reason)
        end

        def terminate
          @termination = termination = Termination.new(self)
          termination.call
        ensure # its parent may have restarted it
          @termination = nil if @termination.equal?(termination)
        end

        # Does not wait any longer for an actor that does not end when it is killed.
        def abandon
          kill(:killed, final: true)
          die(:killed)
          @termination&.abandon
          Actor.log.error("#{label} did not end when it was killed: it is left to itself")
        end

        # Runs in a forked child, which has none of the loops and threads of its parent.
        def invalidate_after_fork
          current = self.current
          @lifecycle.die(:forked)
          waiting = [*@mailbox.clear, current&.reply].grep(Future)
          waiting.each do |future|
            future.invalidate_after_fork(ActorDied.new(ref: ref, reason: :forked))
          end
        end

        # Takes the object, with all that ends with it: timers, monitors, system messages.
        def release_object
          object = @lock.hold do
            @mailbox.discard_urgent
            @execution.release_object
          end
          @timers&.cancel_all
          @links&.demonitor_all
          object
        end

        def fail_deferred(reason)
          deferred = @lock.hold { @deferred.tap { @deferred = nil } }
          deferred&.each_key { |answer| answer.fail(ActorDied.new(ref: ref, reason: reason)) }
        end

        def notify_parent(reason)
          @parent&.ended(self, reason)
        rescue => error
          Actor.log_error("#{label}: its supervisor failed", error)
        end

        private

        def go_on(suspended) = suspended ? terminate : wake
      end
    end
  end
end
