# frozen_string_literal: true

module Raffia
  class Actor
    class Cell
      # Methods that run while the actor itself waits for whoever calls them.
      #
      # @api private
      module Reentry
        private

        # @return [Boolean] whether the message's caller is waited for by this actor
        # @raise [CallCycle] when the method may not run meanwhile
        def reenter(message)
          chain = message.parent.chain
          waiting = chain.index { |other| other.cell.equal?(self) && other.underway? } or
            return false
          unless @settings.reentrant.include?(message.name)
            raise CallCycle.new(calls: [message, *chain.take(waiting + 1)].reverse.map(&:inspect))
          end

          perform_inside(message)
          true
        end

        def perform_inside(message)
          subject = @subject
          @place.reenter { @place.enter(self) { |region| attend(message, region, subject) } }
        end

        # It does not have the actor's hand: when it fails, the one that waits ends the object.
        def attend(message, region, subject)
          outer = @current
          unless admit_region(region)
            return message.reply&.fail(ActorDied.new(ref: ref, reason: @doom.reason))
          end

          run_inside(message, region, subject)
        ensure
          @guard.hold { @inner&.delete(region) }
          @current = outer
        end

        def run_inside(message, region, subject)
          run(message, region)
          through = true
        rescue Exception => error # standard:disable Lint/RescueException
          through = true
          spoil(message, error, subject)
        ensure
          # Thread#kill and Fiber#kill get past every rescue.
          spoil(message, ActorDied.new(ref: ref, reason: :killed), subject) unless through
        end

        def admit_region(region) = @guard.hold { (@inner ||= []) << region unless @doom }

        def spoil(message, error, subject)
          doom = @doom
          if doom && error.is_a?(Cancel)
            return message.reply&.fail(ActorDied.new(ref: ref, reason: doom.reason))
          end

          if !callers?(message, error) && @subject.equal?(subject)
            break_off(Doom.new(own(error), @parent.nil?))
          end
          message.reply&.fail(error)
          raise error if error.is_a?(::SignalException)
        end
      end
    end
  end
end
