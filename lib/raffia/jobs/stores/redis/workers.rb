# frozen_string_literal: true

require "json"

module Raffia
  module Jobs
    module Stores
      class Redis < Store
        # Looking at workers, ours and Sidekiq's.
        module Workers
          # @see Store#processes
          def processes
            found = redis(safe: true) do |connection|
              identities = connection.call("SMEMBERS", "processes").sort
              hashes =
                connection.pipelined { |pipeline|
                  identities.each { |identity| look_at(pipeline, identity) }
                }.each_slice(2).to_a
              held = connection.call("ZRANGE", "raffia:expiry", "(#{connection.call("TIME").first}",
                "+inf", "BYSCORE")
              identities.zip(hashes).select do |_, (hash, _)|
                hash["info"] && (hash["raffia"].nil? || held.include?(hash["raffia"]))
              end
            end
            found.map { |identity, (hash, work)| process(identity, hash, work) }
          end

          # @see Store#order
          def order(identity, order)
            redis do |connection|
              next false if connection.call("SISMEMBER", "processes", identity).zero?

              signal = Leases::ORDERS.key(order)
              key = signal ? "#{identity}-signals" : "raffia:orders:#{identity}"
              connection.multi do |transaction|
                transaction.call("LPUSH", key, signal || order)
                transaction.call("EXPIRE", key, 60)
              end
              true
            end
          end

          # @return [Integer, nil] the lowest main version of the Sidekiq processes that are about;
          #   nil where there is none
          # @api private
          def sidekiq_version
            infos = redis(safe: true) do |connection|
              identities = connection.call("SMEMBERS", "processes")
              connection.pipelined do |pipeline|
                identities.each { |identity| pipeline.call("HGET", identity, "info") }
              end
            end
            theirs = infos.compact.map { |info| JSON.parse(info) }.reject { |info| info["raffia"] }
            theirs.map { |info| info["version"].to_i }.min&.clamp(7, 8)
          rescue JSON::ParserError
            nil # whoever that is, it is no Sidekiq
          end

          private

          def look_at(pipeline, identity)
            pipeline.call("HGETALL", identity)
            pipeline.call("HGETALL", "#{identity}:work")
          end

          def process(identity, hash, work)
            jobs = work.map { |tid, job| {**JSON.parse(job), "tid" => tid} }
            JSON.parse(hash["info"]).except("raffia").merge(
              "identity" => identity, "beat" => hash["beat"].to_f, "lease" => hash["raffia"]&.to_i,
              "busy" => hash["busy"].to_i,
              "quiet" => hash["quiet"] == "true", "rss" => hash["rss"].to_i, "work" => jobs,
              "concurrency" => (hash["concurrency"] || JSON.parse(hash["info"])["concurrency"]).to_i
            )
          end
        end
      end
    end
  end
end
