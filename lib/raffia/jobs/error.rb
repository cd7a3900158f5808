# frozen_string_literal: true

require_relative "../base/error"

module Raffia
  module Jobs
    # Root of errors about jobs.
    class Error < Raffia::Error
    end

    # Arguments that JSON would change, such as Symbols.
    class BadArguments < Error
    end

    # A stored job that cannot be read.
    class BadPayload < Error
      # @return [String, nil]
      attr_reader :payload

      def initialize(message = nil, payload: nil)
        @payload = payload
        super(message || "the payload cannot be read")
      end
    end

    # A payload beyond {Payload::LIMIT}.
    class PayloadTooLarge < Error
    end

    # No class of that name, or not a job class.
    class UnknownJob < Error
    end

    # A unique job that was enqueued again, with `on_conflict: :raise`.
    class NotUnique < Error
      # @return [String] that both jobs have
      attr_reader :key

      def initialize(message = nil, key: nil)
        @key = key
        super(message || "a job with the key #{key} is there already")
      end
    end

    # The store cannot be reached, or does not work. A job that was being enqueued may be stored or
    # not.
    class StoreUnavailable < Error
    end

    # The store refuses permanently: a wrong password or path, or a newer version of its tables.
    class StoreRefused < StoreUnavailable
    end

    # Ends a run before its work is done. When its worker stops, the job goes back to the front of
    # its queue; when its share of time is over, behind the jobs that wait. It is neither a failure
    # nor a try, and no StandardError, so that a job's own rescue does not catch it.
    class Interrupted < Exception # standard:disable Lint/InheritException
    end
  end
end
