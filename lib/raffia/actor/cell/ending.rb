# frozen_string_literal: true

module Raffia
  class Actor
    class Cell
      # How an actor is ended, and what its object's end brings with it.
      #
      # @api private
      module Ending
        # Takes no more messages, and ends after those that it has. An actor that has a parent only loses its object then, takes messages for
        # the next one, and the parent decides.
        # @param final [Boolean] whether there is to be no other object, parent or not
        # @return [Boolean] whether it had not ended, nor been asked to
        def stop(reason, final: @parent.nil?)
          hand = @guard.hold do
            return false if !alive? || (@status == :restarting && !@active && !final)

            idle = seize
            alone = idle && @status == :restarting
            @mailbox.append(Farewell.new(self, reason, final)) unless alone
            @status = :stopping if final
            alone ? :alone : idle
          end
          # Between two objects there is none that could work.
          (hand == :alone) ? finish(reason) : (wake if hand)
          true
        end

        # Ends without the messages that wait, and breaks off what is being worked on. An actor that has a parent is only robbed of its
        # object, and the parent decides.
        # @param final [Boolean] whether there is to be no other object, parent or not
        # @return [Boolean] whether there was something to end
        def kill(reason, final: @parent.nil? || reason == :shutdown)
          break_off(Doom.new(reason.nil? ? :killed : reason, final))
        end

        # Ends the object after what it does now. What waits is for the next one.
        # @return [Boolean] whether there was one
        def suspend(reason)
          wanted = @guard.hold do
            return false unless @status == :running

            @mailbox.urge(Farewell.new(self, reason, false))
            seize
          end
          wake if wanted
          true
        end

        # @return [Boolean] whether its object has ended, and nobody works for it
        def at_rest? = @guard.hold { @status == :dead || (@status == :restarting && !@active) }

        # There will be no other object. Called by the one who has the hand, or by the parent who was told that its child has failed.
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
          joiners&.each(&:settle)
          announce(reason)
        end

        # In a forked child, which has none of the loops and threads of its parent.
        # @return [void]
        def orphan
          @status = :dead
          @reason = :forked
          @mailbox.clear
        end

        private

        # @return [Boolean] whether this was what ended it
        def break_off(doom)
          regions = []
          hand = @guard.hold do
            return false if @status == :dead || (doom = doom.over(@doom)).nil?
            return false if @status == :restarting && !@active && !doom.final?

            @doom = (@status == :stopping) ? doom.last : doom
            @status = :stopping if doom.final? && @status == :running
            regions = [@region, *@inner].compact
            seize && ((@status == :restarting) ? :alone : :work)
          end
          regions.each { |region| region.cancel(doom.reason) }
          (hand == :alone) ? fall : (wake if hand)
          true
        end

        # @return [Boolean] whether nobody had the hand
        def seize = !@active && @active = true

        # The object is lost, to whatever `@doom` says. Runs with the hand.
        def fall
          reason, regions = @guard.hold do
            @reason = @doom.reason
            @status = @doom.final? ? :stopping : :restarting unless @status == :stopping
            [@reason, @inner].tap { @region = nil }
          end
          regions&.dup&.each { |region| region.cancel(reason) }
          doom = @doom
          doom.log(supervised?)
          end_life(reason)
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
          Raffia.instrument.emit(:actor_died) { {ref: ref, reason: reason, supervised: supervised?} } unless reason == :normal || reason == :shutdown
          hook(:on_stop, reason, subject: subject) if subject
        rescue Exception => error # standard:disable Lint/RescueException
          Actor.complain("#{label}: on_stop failed", error)
        ensure
          owed = @guard.hold { @owed.tap { @owed = nil } }
          owed&.each_key { |answer| answer.fail(ActorDied.new(ref: ref, reason: reason)) }
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
