# frozen_string_literal: true

require "json"
require_relative "../../../base/clock"
require_relative "../../payload"

module Raffia
  module Jobs
    module Stores
      class Redis < Store
        # Writes time fields as the version of Sidekiq reads them that is about: 7 has seconds as
        # Float, 8 milliseconds as Integer. A Web of 7 would show milliseconds as dates of the far
        # future.
        class Dialect
          # The fields that are times.
          TIMES = %w[created_at enqueued_at failed_at retried_at discarded_at].freeze

          # What Sidekiq's own job around an Active Job is called, from 8 on and before.
          WRAPPERS = {8 => "Sidekiq::ActiveJob::Wrapper",
                      7 => "ActiveJob::QueueAdapters::SidekiqAdapter::JobWrapper"}.freeze
          # Where nobody says anything.
          NEWEST = 8
          # Seconds between two looks at who is about.
          LOOK = 60

          # @param store [Redis]
          # @param fixed [Integer, nil] 7, 8; nil: find out
          def initialize(store, fixed)
            @store = store
            @fixed = fixed
            @found = NEWEST
            @again = 0
          end

          # @return [Integer]
          def version
            return @fixed if @fixed
            return @found if Clock.now < @again

            @found = @store.sidekiq_version || @found
            @again = Clock.now + LOOK
            @found
          end

          # @return [Boolean] whether payloads go out as they are
          def plain? = version == 8

          # @param payload [String] as we write it
          # @return [String] as Sidekiq is to read it
          def outgoing(payload)
            return payload if plain?

            item = JSON.parse(payload)
            TIMES.each { |field| item[field] = item[field] / 1000.0 if item[field].is_a?(Integer) }
            item["class"] = WRAPPERS[7] if item["class"] == WRAPPERS[8]
            JSON.generate(item)
          rescue JSON::ParserError
            payload
          end
        end
      end
    end
  end
end
