# frozen_string_literal: true

module Raffia
  class Actor
    class Cell
      # The ways in which an actor is told to end, seen from whoever tells it.
      #
      # @api private
      module Ending
        # Takes no more messages, and ends after those that it has. An actor that has a parent only
        # loses its object then, takes messages for the next one, and the parent decides.
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

        # Ends without the messages that wait, and breaks off what is being worked on. An actor that
        # has a parent is only robbed of its object, and the parent decides.
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

        # It does not end, whatever it is told, and nobody waits for it any longer.
        # @return [void]
        def forsake
          kill(:killed, final: true)
          bury(:killed)
          @parting&.cancel(:killed)
          Actor.log.error("#{label} did not end when it was killed: it is left to itself")
        end

        # In a forked child, which has none of the loops and threads of its parent.
        # @return [void]
        def orphan
          @status = :dead
          @reason = :forked
          waiting = [*@mailbox.clear, @current&.reply].grep(Future)
          waiting.each { |future| future.orphan(ActorDied.new(ref: ref, reason: :forked)) }
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
      end
    end
  end
end
