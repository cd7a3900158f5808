# frozen_string_literal: true

module Celluloid
  module Internals
    # Part of {Cell}: ends an actor, and tells it of the end of others.
    module Shutdown
      # Ends it after what it does now, before the messages that wait.
      # Whether it was alive.
      def terminate
        insert do
          next unless alive?

          @mailbox.urge(TaskExecution::Order.new(self, -> { finish(nil) }))
          @lifecycle.transition(:stopping)
          true
        end
      end

      # Ends it where it waits.
      # Whether it was alive.
      def kill(reason = :killed, **)
        scopes = []
        done = insert do
          next unless @lifecycle.receive(::Raffia::Actor::ExitSignal.new(reason, true))

          scopes = @execution.scopes
        end
        scopes.each { |scope| scope.cancel(reason) }
        done
      end

      # Fails what waits in the mailbox, tells the links, and breaks off the tasks.
      def die(reason)
        waiting = @lock.hold do
          return unless @lifecycle.die(reason)

          @execution.clear
          @mailbox.clear
        end
        @group.remove(self)
        @system.forget(self)
        waiting.each { |one| one.fail(::Raffia::ActorDied.new(ref: ref, reason: reason)) }
        stop_watching
        announce(reason)
        tasks.each(&:break_off)
        @inbox.close
        Probe.actor_died(self)
      ensure
        # All others know of the end before those that join it.
        @links&.settle_joiners if waiting
      end

      # Runs in a forked child, which has none of the actors.
      def invalidate_after_fork
        super
        @begun.clear
      end

      # Hears of the other's end, as long as it lives itself.
      def watch_over(other)
        @lock.hold { (@watches ||= {}.compare_by_identity)[other] = true }
        other.add_link(self)
      end

      def look_away(other)
        @lock.hold { @watches&.delete(other) }
        other.delete_link(self)
      end

      # A linked actor has ended.
      def linked_exit(other, reason)
        delete_link(other)
        @lock.hold { @watches&.delete(other) }
        unless reason.nil? || reason.is_a?(Exception)
          reason = DeadActorError.new("#{other.label} was ended: #{reason}")
        end
        urge { exited(other, reason) }
      end

      # Whether it had not ended.
      def begin_end
        @lock.hold do
          return false if dead?

          @execution.supersede
          @lifecycle.transition(:stopping)
          @lifecycle.acquire
        end
        true
      end

      # Ends it by an error.
      def crash(error)
        Internals::Logger.crash("Actor crashed!", error) if begin_end
      ensure
        finish(error)
      end

      # Runs the finalizer, then ends it.
      def finish(reason)
        @pending_timers.keys.each(&:cancel)
        finalize if subject && @finalizer && subject.respond_to?(@finalizer, true)
      ensure
        die(reason)
      end

      private

      # An actor that lives on would keep this one.
      def stop_watching
        @lock.hold { @watches.tap { @watches = nil } }&.each_key { |other| other.delete_link(self) }
      end

      def exited(other, reason)
        return crash(reason) if reason && !@exit_handler
        return unless @exit_handler

        @execution.perform_task(:exit_handler, @exit_handler) do
          subject.__send__(@exit_handler, other.proxy, reason)
        end
      end

      # It may wait, but nothing else of the actor's begins any more.
      def finalize
        finalizer, @finalizer = @finalizer, nil
        object = subject
        scope = @execution.scope unless @lifecycle.exit_signal
        @task_class.new(:finalizer, finalizer, self, exclusive: true).run do
          if scope
            @executor.expose(scope) { object.__send__(finalizer) }
          else
            object.__send__(finalizer)
          end
        end
      rescue ::Raffia::Cancel
        raise
      rescue Exception => error # standard:disable Lint/RescueException
        Internals::Logger.crash("#{actor_class} finalizer crashed!", error)
        @execution.pass_on(error)
      end
    end
  end
end
