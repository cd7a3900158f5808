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
        stop_watching
        announce(reason)
        tasks.each(&:break_off)
        @inbox.close
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

      # Hears of the other's end, as long as it lives itself.
      # @return [void]
      def watch_over(other)
        @guard.hold { (@watches ||= {}.compare_by_identity)[other] = true }
        other.bind(self)
      end

      # @return [void]
      def look_away(other)
        @guard.hold { @watches&.delete(other) }
        other.unbind(self)
      end

      # A linked actor has ended.
      # @return [void]
      def linked_ended(other, reason)
        unbind(other)
        @guard.hold { @watches&.delete(other) }
        unless reason.nil? || reason.is_a?(Exception)
          reason = DeadActorError.new("#{other.label} was ended: #{reason}")
        end
        urge { exited(other, reason) }
      end

      private

      # One that lives on would keep it.
      def stop_watching
        @guard.hold { @watches.tap { @watches = nil } }&.each_key { |other| other.unbind(self) }
      end

      def exited(other, reason)
        if @exit_handler
          return perform_task(:exit_handler,
            @exit_handler) { @subject.__send__(@exit_handler, other.proxy, reason) }
        end

        crash(reason) if reason
      end

      def crash(error)
        Internals::Logger.crash("Actor crashed!", error) if begin_end
      ensure
        finish(error)
      end

      # @return [Boolean] whether it had not ended
      def begin_end
        @guard.hold do
          return false if @status == :dead

          @life += 1
          @status = :stopping
          @active = true
        end
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
        region = @region unless @doom
        @task_class.new(:finalizer, finalizer, self, exclusive: true).run do
          if region
            @place.expose(region) { subject.__send__(finalizer) }
          else
            subject.__send__(finalizer)
          end
        end
      rescue ::Raffia::Cancel
        raise
      rescue Exception => error # standard:disable Lint/RescueException
        Internals::Logger.crash("#{actor_class} finalizer crashed!", error)
        pass_on(error)
      end
    end
  end
end
