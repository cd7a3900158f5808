# frozen_string_literal: true

module Raffia
  class Actor
    class Cell
      # What the end of an actor's object brings with it, and that of the actor.
      #
      # @api private
      module Falling
        # There will be no other object. Called by the one who has the hand, or by the parent who
        # was told that its child has failed.
        # @return [void]
        def bury(reason)
          # Before it is dead: whoever waits for that may want the name.
          Registry.current.release(@name, ref) if @name
          waiting, joiners = @guard.hold do
            return if @status == :dead

            @status = :dead
            @reason = reason
            @subject = @region = @current = nil
            [@mailbox.clear, @joiners].tap { @joiners = nil }
          end
          @birth.bury(reason)
          @host.remove(self)
          waiting.each { |one| one.fail(ActorDied.new(ref: ref, reason: reason)) }
          joiners&.each { |reply| reply.settle(true) }
          announce(reason)
        end

        private

        # The object is lost, to whatever `@doom` says. Runs with the hand.
        def fall
          reason, regions = @guard.hold do
            @reason = @doom.reason
            unless @status == :stopping || @status == :dead
              @status = @doom.final? ? :stopping : :restarting
            end
            [@reason, @inner].tap { @region = nil }
          end
          regions&.dup&.each { |region| region.cancel(reason) }
          @doom.log(supervised?)
          end_life(reason)
        ensure # on_stop, too, can end its own thread or fiber
          conclude(@doom, @reason)
        end

        # The object has ended. So does the actor, or it waits for another.
        def conclude(doom, reason)
          remains? ? announce(reason) : bury(reason)
          doom.answer
          tell_parent(reason)
        end

        # @return [Boolean] whether it waits for another object
        def remains?
          @guard.hold do
            next false if @status != :restarting || @doom.final?

            @doom = @current = nil
            @active = false
            true
          end
        end

        def end_life(reason)
          subject = let_go
          unless reason == :normal || reason == :shutdown
            Raffia.instrument.emit(:actor_died) do
              {ref: ref, reason: reason, supervised: supervised?}
            end
          end
          part(subject, reason) if subject
        rescue Exception => error # standard:disable Lint/RescueException
          Actor.complain("#{label}: on_stop failed", error)
        ensure
          owed = @guard.hold { @owed.tap { @owed = nil } }
          owed&.each_key { |answer| answer.fail(ActorDied.new(ref: ref, reason: reason)) }
        end

        # No kill breaks this off, but whoever does not wait for it any longer.
        def part(subject, reason)
          @place.enter(self) do |region|
            @parting = region
            @place.expose(region) { hook(:on_stop, reason, subject: subject) }
          ensure
            @parting = nil
          end
        end

        # What belongs to the object ends with it.
        # @return [Actor, nil] the object
        def let_go
          subject, timers, watched = @guard.hold do
            @mailbox.calm
            [@subject, @timers, @watched].tap { @subject = @timers = @watched = nil }
          end
          timers&.each_key(&:cancel)
          watched&.each { |handle, other| other.unwatch(handle) }
          subject
        end

        def finish(reason)
          @doom = Doom.new(reason, true)
          fall
        end

        def supervised? = @parent.respond_to?(:supervisor)

        def tell_parent(reason)
          @parent&.ended(self, reason)
        rescue => error
          Actor.complain("#{label}: its supervisor failed", error)
        end
      end
    end
  end
end
