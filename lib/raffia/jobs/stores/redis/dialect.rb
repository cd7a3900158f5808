# frozen_string_literal: true

require "json"
require_relative "../../payload"

module Raffia
  module Jobs
    module Stores
      class Redis < Store
        # Writes time fields as the version of Sidekiq reads them that is about: 7 has seconds as Float, 8 milliseconds as Integer. A Web of 7
        # would show milliseconds as dates of the far future.
        class Dialect
          # The fields that are times.
          TIMES = %w[created_at enqueued_at failed_at retried_at discarded_at].freeze

          # @param store [Redis]
          # @param version [Integer, nil] 7, 8; nil: find out
          def initialize(store, version)
            @store = store
            @version = version
          end

          # @return [Integer]
          def version = @version ||= @store.sidekiq_version || 8

          # @return [Boolean] whether payloads go out as they are
          def plain? = version == 8

          # @param payload [String] as we write it
          # @return [String] as Sidekiq is to read it
          def outgoing(payload)
            return payload if plain?

            item = JSON.parse(payload)
            TIMES.each { |field| item[field] = item[field] / 1000.0 if item[field].is_a?(Integer) }
            JSON.generate(item)
          rescue JSON::ParserError
            payload
          end
        end
      end
    end
  end
end
