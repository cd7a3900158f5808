# frozen_string_literal: true

require_relative "../base/error"

module Raffia
  module Jobs
    # Root of what goes wrong with jobs.
    class Error < Raffia::Error
    end

    # The arguments would not come back as they are: JSON knows strings, numbers, true, false, nil,
    # arrays and hashes with strings as keys.
    class BadArguments < Error
    end

    # What is kept of a job cannot be read.
    class BadPayload < Error
      # @return [String, nil] its bytes
      attr_reader :payload

      def initialize(message = nil, payload: nil)
        @payload = payload
        super(message || "the payload cannot be read")
      end
    end

    # The job is too long to be kept.
    class PayloadTooLarge < Error
    end

    # There is no class of that name, or it is no job.
    class UnknownJob < Error
    end

    # A unique job that is there already was enqueued again, with `on_conflict: :raise`.
    class NotUnique < Error
      # @return [String] what both of them have
      attr_reader :key

      def initialize(message = nil, key: nil)
        @key = key
        super(message || "a job with the key #{key} is there already")
      end
    end

    # The store cannot be reached, or refuses to work. What was being enqueued may not have been
    # kept.
    class StoreUnavailable < Error
    end

    # The store refuses for a reason that does not pass by itself: a wrong password or path, or a
    # newer version of its tables.
    class StoreRefused < StoreUnavailable
    end

    # A run ends before its work does, as it should: its worker stops, and the job goes back to the
    # front of its queue; or it has had its share of time, and goes on after those that wait there.
    # That counts neither as a failure nor as a try. Not a StandardError: a job's own rescue is
    # about what can go wrong.
    class Interrupted < Exception # standard:disable Lint/InheritException
    end
  end
end
