# frozen_string_literal: true

module Raffia
  class Actor
    # Why an actor's object ends, and whether another one may follow.
    #
    # @api private
    class ExitSignal
      attr_reader :reason
      attr_reader :error

      # After a final one no other object follows. The message, if any, failed with the error.
      def initialize(reason, final, message = nil, error = nil)
        @reason = reason
        @final = final
        @message = message
        @error = error
      end

      def final? = @final

      def graceful? = false

      # The signal that holds after an earlier one: this one with the other's message, nil when it
      # adds nothing.
      def over(other)
        return self unless other
        return if other.final? || !final?

        other.as_final(reason)
      end

      def last = final? ? self : as_final(reason)

      # Fails the call that ended the object.
      def answer = @message&.reply&.fail(@error)

      # Logs the failure of a message that had no caller; always, when the caller does not see that
      # the actor restarts.
      def log(always = false)
        return if @message.nil? || (@message.reply && !always)

        Actor.log_error("#{@message.inspect} failed", @error)
      end

      protected

      def as_final(reason) = ExitSignal.new(reason, true, @message, @error)
    end

    # Exit signal of a stop: the messages before it were handled.
    #
    # @api private
    class GracefulExit < ExitSignal
      def graceful? = true
    end
  end
end
