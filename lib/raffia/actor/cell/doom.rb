# frozen_string_literal: true

module Raffia
  class Actor
    class Cell
      # That an actor's object is to end, and by what.
      #
      # @api private
      class Doom
        # @return [Object] why
        attr_reader :reason

        # @param final [Boolean] whether there will be no other object
        # @param message [Message, nil] the one that has failed
        # @param error [Exception, nil] what it failed with
        def initialize(reason, final, message = nil, error = nil)
          @reason = reason
          @final = final
          @message = message
          @error = error
        end

        def final? = @final

        # @return [Boolean] whether it had done all that it had to
        def gentle? = false

        # @return [Exception, nil] what the message failed with
        attr_reader :error

        # @param other [Doom, nil] that came before
        # @return [Doom, nil] this one, with the other's message, if it says more than that
        def over(other)
          return self unless other
          return if other.final? || !final?

          other.as_final(reason)
        end

        # @return [Doom] the same, with no other object to come
        def last = final? ? self : as_final(reason)

        # Tells whoever asked for what failed, when the object has ended.
        # @return [void]
        def answer = @message&.reply&.fail(@error)

        # Tells the log, if nobody asked for it.
        # @param loud [Boolean] in any case: whoever asked will not know that the actor has begun
        #   again
        # @return [void]
        def log(loud = false)
          return if @message.nil? || (@message.reply && !loud)

          Actor.complain("#{@message.inspect} failed", @error)
        end

        protected

        def as_final(reason) = Doom.new(reason, true, @message, @error)

        # What a stop brings with it.
        class Gentle < Doom
          def gentle? = true
        end
      end
    end
  end
end
