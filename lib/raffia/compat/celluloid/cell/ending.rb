# frozen_string_literal: true

module Celluloid
  class Cell
    # How an actor ends, and what it does when others do.
    module Ending
      # Ends it after what it does now, before the messages that wait.
      # @return [Boolean] whether it had not ended
      def terminate
        put_in do
          next unless alive?

          @mailbox.urge(Turns::Order.new(self, -> { finish(nil) }))
          @status = :stopping
        end
      end

      # Ends it where it waits.
      # @return [Boolean] whether it had not ended
      def kill(reason = :killed, **)
        region = nil
        done = put_in do
          next if @status == :dead || @doom

          region = @region
          @status = :stopping
          @doom = ::Raffia::Actor::Cell::Doom.new(reason, true)
        end
        region&.cancel(reason)
        done
      end

      # What was left in its mailbox is answered, its links are told, and its tasks break off.
      # @return [void]
      def bury(reason)
        waiting, joiners = @guard.hold do
          return if @status == :dead

          @life += 1
          @status = :dead
          @reason = reason
          @subject = @region = nil
          [@mailbox.clear, @joiners].tap { @joiners = nil }
        end
        @host.remove(self)
        @system.forget(self)
        waiting.each { |one| one.fail(::Raffia::ActorDied.new(ref: ref, reason: reason)) }
        announce(reason)
        tasks.each { |task| task.terminate if task.running? }
        Probe.actor_died(self)
      ensure
        # Whoever joins it finds that all others know.
        joiners&.each(&:settle)
      end

      # In a forked child, which has none of the actors.
      # @return [void]
      def orphan
        super
        @begun.clear
      end

      # A linked actor has ended.
      # @return [void]
      def linked_ended(other, reason)
        unbind(other)
        reason = DeadActorError.new("#{other.label} was ended: #{reason}") unless reason.nil? || reason.is_a?(Exception)
        urge { exited(other, reason) }
      end

      private

      def exited(other, reason)
        return perform_task(:exit_handler, @exit_handler) { @subject.__send__(@exit_handler, other.proxy, reason) } if @exit_handler

        crash(reason) if reason
      end

      # First it ends, then its caller hears of it.
      def crash(error)
        @guard.hold do
          return if @status == :dead

          @life += 1
          @region = nil
          @status = :stopping
          @active = true
        end
        Internals::Logger.crash("Actor crashed!", error)
      ensure
        finish(error)
      end

      def finish(reason)
        @alarms.keys.each(&:cancel)
        finalize if @subject && @finalizer && @subject.respond_to?(@finalizer, true)
      ensure
        bury(reason)
      end

      # It may wait, but nothing else of the actor's begins any more.
      def finalize
        finalizer, @finalizer = @finalizer, nil
        subject = @subject
        @task_class.new(:finalizer, finalizer, self, exclusive: true).run { subject.__send__(finalizer) }
      rescue => error
        Internals::Logger.crash("#{actor_class} finalizer crashed!", error)
      end
    end
  end
end
