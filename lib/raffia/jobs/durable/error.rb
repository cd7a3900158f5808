# frozen_string_literal: true

require_relative "../error"

module Raffia
  module Jobs
    module Durable
      # Root of errors of durable functions.
      class Error < Jobs::Error
      end

      # The code takes another way than the recorded steps. The function is stuck, without a retry
      # spent, and is tried again every minute: it goes on with code that fits.
      class NondeterminismError < Error
      end

      # A step returned something that JSON would change. The function fails without a retry.
      class BadResult < Error
      end

      # A function has more steps than {History} allows. It fails without a retry.
      class HistoryTooLarge < Error
      end

      # A step failed with an error that the step declares as final.
      class StepFailed < Error
        # @return [String] class of the error
        attr_reader :error_class

        def initialize(message = nil, error_class: nil)
          @error_class = error_class
          super(message)
        end
      end

      # A function has failed, or was cancelled.
      class FlowFailed < Error
        # @return [String] "failed" or "cancelled"
        attr_reader :status

        def initialize(message = nil, status: nil)
          @status = status
          super(message)
        end
      end

      # A function has not ended in time.
      class NotEnded < Error
      end

      # There is no function with this id.
      class UnknownFlow < Error
      end

      # The function was cancelled: raised by its next step. No StandardError, so that a function's
      # own rescue does not catch it. Clean up in an `ensure`, with {Durable#shield}.
      class Cancelled < Exception # standard:disable Lint/InheritException
      end
    end
  end
end
