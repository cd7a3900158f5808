# frozen_string_literal: true

module Celluloid
  module Internals
    # Part of {Cell}: ends an actor, and notifies it of the end of others.
    module Shutdown
      # Ends it before the messages that wait. False when it was dead.
      def terminate
        insert do
          next unless alive?

          @mailbox.urge(TaskExecution::Order.new(self, -> { finish(nil) }))
          @lifecycle.transition(:stopping)
          true
        end
      end

      # Ends it where it waits.
      def kill(reason = :killed, **)
        scopes = []
        done = insert do
          next unless @lifecycle.receive(::Raffia::Actor::ExitSignal.new(reason, true))

          scopes = @execution.scopes
        end
        scopes.each { |scope| scope.cancel(reason) }
        done
      end

      # Fails what waits in the mailbox, notifies the links, and breaks off the tasks.
      def die(reason)
        waiting = @lock.hold do
          return unless @lifecycle.die(reason)

          @execution.clear
          @mailbox.clear
        end
        @group.remove(self)
        @system.forget(self)
        waiting.each { |one| one.fail(::Raffia::ActorDied.new(ref: ref, reason: reason)) }
        stop_monitoring_all
        announce(reason)
        tasks.each(&:break_off)
        @inbox.close
        Probe.actor_died(self)
      ensure
        # Callers of join are the last to be notified.
        @links&.settle_joiners if waiting
      end

      def invalidate_after_fork
        super
        @begun.clear
      end

      # The other's end is reported to this one, as long as it lives itself.
      def start_monitoring(other)
        @lock.hold { (@monitored ||= {}.compare_by_identity)[other] = true }
        other.add_link(self)
      end

      def stop_monitoring(other)
        @lock.hold { @monitored&.delete(other) }
        other.delete_link(self)
      end

      def linked_exit(other, reason)
        delete_link(other)
        @lock.hold { @monitored&.delete(other) }
        unless reason.nil? || reason.is_a?(Exception)
          reason = DeadActorError.new("#{other.label} was ended: #{reason}")
        end
        urge { exited(other, reason) }
      end

      # False when it had ended before.
      def begin_end
        @lock.hold do
          return false if dead?

          @execution.supersede
          @lifecycle.transition(:stopping)
          @lifecycle.acquire
        end
        true
      end

      def crash(error)
        Internals::Logger.crash("Actor crashed!", error) if begin_end
      ensure
        finish(error)
      end

      def finish(reason)
        @pending_timers.keys.each(&:cancel)
        finalize if subject && @finalizer && subject.respond_to?(@finalizer, true)
      ensure
        die(reason)
      end

      private

      # An actor that lives on would keep this one in memory.
      def stop_monitoring_all
        monitored = @lock.hold { @monitored.tap { @monitored = nil } }
        monitored&.each_key { |other| other.delete_link(self) }
      end

      def exited(other, reason)
        return crash(reason) if reason && !@exit_handler
        return unless @exit_handler

        @execution.perform_task(:exit_handler, @exit_handler) do
          subject.__send__(@exit_handler, other.proxy, reason)
        end
      end

      # It may wait, but no other task of the actor begins any more.
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
