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

    # An encrypted argument whose key is not in {Jobs.keys=}. The job is tried again later, and that
    # is no failure: keys may reach this worker after the job.
    class UnknownKey < Error
      # @return [String, nil] the key's id
      attr_reader :key_id

      def initialize(message = nil, key_id: nil)
        @key_id = key_id
        super(message || "there is no key #{key_id} in Raffia::Jobs.keys of this process")
      end
    end

    # An encrypted argument that was changed, or moved from another job. The job is dead.
    class DecryptionFailed < BadPayload
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

    # The store cannot do this at all.
    class Unsupported < Error
      # @return [Symbol, nil] the operation
      attr_reader :operation

      # @param operation [Symbol, nil]
      # @param store [String, nil] its name
      # @param because [String, nil] why
      def initialize(operation = nil, store = nil, because = nil)
        @operation = operation
        super("#{store || "this store"} cannot do #{operation}#{": #{because}" if because}. Use " \
          "SQLite, PostgreSQL or Redis for it")
      end
    end

    # The store cannot be reached, or does not work. A job that was being enqueued may be stored or
    # not.
    class StoreUnavailable < Error
    end

    # The store refuses permanently: a wrong password or path, or a newer version of its tables.
    class StoreRefused < StoreUnavailable
    end

    # Another service has refused a job because it got too many calls. A job raises it to try again
    # later; that is no failure. A job with a `rate` goes back to the front of its key, and no job
    # of the key starts until then; another one is scheduled.
    class RateLimited < Error
      # @return [Numeric] seconds
      attr_reader :retry_after

      # @param retry_after [Numeric] seconds, such as those of the header Retry-After
      def initialize(message = nil, retry_after: 60)
        @retry_after = retry_after
        super(message || "to be tried again in #{retry_after} s")
      end
    end

    # Ends a run before its work is done. When its worker stops, the job goes back to the front of
    # its queue; when its share of time is over, behind the jobs that wait. It is neither a failure
    # nor a try, and no StandardError, so that a job's own rescue does not catch it.
    class Interrupted < Exception # standard:disable Lint/InheritException
    end

    # Ends a run whose job the store has moved already, such as one of a durable function that
    # sleeps.
    # @api private
    class Suspended < Exception # standard:disable Lint/InheritException
    end
  end
end
