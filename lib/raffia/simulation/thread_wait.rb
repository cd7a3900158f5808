# frozen_string_literal: true

module Raffia
  module Simulation
    # One suspension of a simulated thread in its world. `result`: nil while it lasts; then :woken,
    # :timeout or :interrupted.
    #
    # @api private
    class ThreadWait
      attr_reader :reason, :subject, :limit, :since
      attr_accessor :result, :interruptible

      def begin(reason, subject, limit, since)
        @reason = reason
        @subject = subject
        @limit = limit
        @since = since
        @result = nil
        self
      end
    end
  end
end
