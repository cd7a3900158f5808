# frozen_string_literal: true

module Raffia
  class Actor
    class Cell
      # Works through the mailbox, in a fiber or thread that is there for as long as there are
      # messages.
      #
      # @api private
      module Working
        # Some messages. When there are more, others get their turn first.
        # @return [void]
        def work
          more = Deadline.replace(nil) { @place.enter(self) { |region| work_through(region) } }
          through = true
          @place.go_on(self) if more
        rescue Exception => error # standard:disable Lint/RescueException
          through = true
          @doom ||= Doom.new(error, @parent.nil?) # it came from outside
          signal = [error, @doom.error].grep(::SignalException).first
          fall
          # It was meant for the program, and only happened to find it here.
          raise signal if signal
        ensure
          lose_hand unless through # Thread#kill and Fiber#kill get past every rescue
        end

        private

        def lose_hand
          @doom ||= Doom.new(:killed, @parent.nil?, @current,
            ActorDied.new(ref: ref, reason: :killed))
          fall
        end

        # @return [Boolean] whether there is more to do
        def work_through(region)
          Message.none
          @guard.hold { @region = region }
          Cell::TURN.times do
            message = @guard.hold { take } or return false
            bid_farewell(message) if message.is_a?(Farewell)
            perform(message, region)
          end
          @guard.hold { @region = nil }
          true
        end

        # @return [Message, nil] nil: there is nothing to be done, and nobody is here any more
        def take
          raise Cancel.new(@doom.reason, origin: self) if @doom

          (@current = @mailbox.shift) || (@active = @region = nil)
        end

        # It has done all that it had to.
        # @raise [Cancel]
        def bid_farewell(farewell)
          @guard.hold { @doom ||= Doom::Gentle.new(farewell.reason, farewell.final?) }
          raise Cancel.new(farewell.reason, origin: self)
        end

        def perform(message, region)
          run(message, region)
        rescue Exception => error # standard:disable Lint/RescueException
          failed(message, error)
        end

        def run(message, region)
          return if message.unwanted?
          return message.reply&.fail(message.deadline.error) if message.deadline&.expired?

          @handled += 1
          @current = message
          value = message.begin { answer(message, region) }
          message.reply&.settle(value) unless message.postponed?
        end

        def answer(message, region)
          deadline = message.deadline or return @place.expose(region) { message.invoke(@subject) }

          deadline.enforce { @place.expose(region) { message.invoke(@subject) } }
        end

        # First the actor ends, then its caller hears of it.
        # @raise [Cancel]
        def failed(message, error)
          # What ends the loop has reached it: that is no error of the method's.
          error = ActorDied.new(ref: ref, reason: error.reason) if error.is_a?(Cancel)
          doom = Doom.new(own(error), @parent.nil?, message, error)
          return [doom.log, doom.answer] if @doom.nil? && callers?(message, error)

          other = @guard.hold { @doom.tap { @doom ||= doom } }
          message.reply&.fail(ActorDied.new(ref: ref, reason: other.reason)) if other
          raise Cancel.new(@doom.reason, origin: self)
        end

        # That the object has died elsewhere is told to the caller as the actor's end, and is that
        # end.
        def own(error) = (error.is_a?(ActorDied) && error.ref == ref && error.reason) || error

        # Whether it is the caller's error alone.
        def callers?(message, error)
          error.is_a?(TimeoutError) && message.deadline&.expired? ||
            error.equal?(message.refusal) || @settings.expects.any? { |kind| kind === error }
        end
      end
    end
  end
end
