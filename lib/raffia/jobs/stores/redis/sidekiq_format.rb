# frozen_string_literal: true

require_relative "../../../base/clock"

module Raffia
  module Jobs
    module Stores
      class Redis < Store
        # Writes payloads for the version of Sidekiq that is in use. Its times are seconds as Float
        # (7), or milliseconds as Integer (8), which a Web of version 7 would show as dates of the
        # far future.
        # @api private
        class SidekiqFormat
          TIMES = %w[created_at enqueued_at failed_at retried_at discarded_at].freeze
          # Sidekiq's class of an Active Job, by version.
          WRAPPERS = {
            8 => "Sidekiq::ActiveJob::Wrapper",
            7 => "ActiveJob::QueueAdapters::SidekiqAdapter::JobWrapper"
          }.freeze
          NEWEST = 8
          # Seconds between reads of the processes.
          INTERVAL = 60

          # `fixed` is 7 or 8; nil: the lowest version of live processes.
          def initialize(redis, fixed)
            @redis = redis
            @fixed = fixed
            @found = NEWEST
            @again = 0
          end

          def version
            return @fixed if @fixed
            return @found if Clock.now < @again

            @found = lowest_version || @found
            @again = Clock.now + INTERVAL
            @found
          end

          def outgoing(payload)
            return payload if version == 8

            JSON.generate(outgoing_item(JSON.parse(payload)))
          rescue JSON::ParserError
            payload
          end

          # The fields of a payload.
          def outgoing_item(item)
            return item if version == 8

            times = item.slice(*TIMES).select { |_, value| value.is_a?(Integer) }
            wrapper = {"class" => WRAPPERS[7]} if item["class"] == WRAPPERS[8]
            {**item, **times.transform_values { |value| value / 1000.0 }, **wrapper.to_h}
          end

          private

          # Nil without any Sidekiq process.
          def lowest_version
            infos = @redis.with(safe: true) do |connection|
              identities = connection.call("SMEMBERS", "processes")
              connection.pipelined do |pipeline|
                identities.each { |identity| pipeline.call("HGET", identity, "info") }
              end
            end
            theirs = infos.compact.map { |info| JSON.parse(info) }.reject { |info| info["raffia"] }
            theirs.map { |info| info["version"].to_i }.min&.clamp(7, 8)
          rescue JSON::ParserError
            nil # not a Sidekiq process
          end
        end
      end
    end
  end
end
