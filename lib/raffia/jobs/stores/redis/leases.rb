# frozen_string_literal: true

require_relative "sidekiq_process"

module Raffia
  module Jobs
    module Stores
      class Redis < Store
        # Workers have the keys of Sidekiq's Web: `processes`, a hash each, `:work` with jobs,
        # `-signals`. The lease is a key of Raffia's that expires by the server's clock.
        class Leases < Store::Leases
          # Sidekiq's signals => orders.
          ORDERS = {"TSTP" => "quiet", "TERM" => "stop", "TTIN" => "dump"}.freeze

          def self.milliseconds(seconds) = (seconds * 1000).ceil

          needs :redis, :statistics

          def enroll(identity, info, ttl: Store::LEASE)
            info = SidekiqProcess.info(identity, info)
            token = @redis.script(:enroll, identity, Leases.milliseconds(ttl), "info",
              JSON.generate(info), "concurrency", info["concurrency"], *SidekiqProcess.state({}))
            Lease.new(identity, token, ttl)
          end

          def beat(lease, state = {}, tally: nil)
            fields = SidekiqProcess.state(state)
            orders = @redis.script(:beat, *arguments(lease), fields.size, *fields,
              *SidekiqProcess.work(state), safe: true)
            # Last: a worker that gets an error sends the same tally again.
            @statistics.add(tally)
            orders&.map { |order| ORDERS.fetch(order, order) }
          end

          def renew(lease) = @redis.script(:renew, *arguments(lease), safe: true) == 1

          def claim_keys(lease) = fields(lease).map { |field| ClaimGroup.parse(field).first(2) }

          def release_keys(lease, keys)
            claims = fields(lease).sort_by { |field| ClaimGroup.parse(field) }.reverse
            claims.select! { |field| keys.include?(ClaimGroup.parse(field).first(2)) }
            @redis.script(:release_keys, lease.token, *claims)
          end

          def resign(lease, tally: nil)
            @statistics.add(tally)
            @redis.script(:resign, lease.token, lease.identity, safe: true)
            nil
          end

          def processes
            @redis.with(safe: true) do |connection|
              identities = connection.call("SMEMBERS", "processes").sort
              hashes = connection.pipelined do |pipeline|
                identities.each { |identity| SidekiqProcess.read(pipeline, identity) }
              end
              now, = connection.call("TIME")
              valid = connection.call("ZRANGE", "raffia:expiry", "(#{now}", "+inf", "BYSCORE")
              identities.zip(hashes.each_slice(2)).filter_map do |identity, (hash, work)|
                lives = hash["raffia"].nil? || valid.include?(hash["raffia"])
                SidekiqProcess.to_h(identity, hash, work) if lives && hash["info"]
              end
            end
          end

          def order(identity, order)
            @redis.with do |connection|
              next false if connection.call("SISMEMBER", "processes", identity).zero?

              signal = ORDERS.key(order)
              key = signal ? "#{identity}-signals" : "raffia:orders:#{identity}"
              connection.multi do |transaction|
                transaction.call("LPUSH", key, signal || order)
                transaction.call("EXPIRE", key, 60)
              end
              true
            end
          end

          private

          def arguments(lease) = [lease.token, lease.identity, Leases.milliseconds(lease.ttl)]

          def fields(lease) = @redis.call("HKEYS", "raffia:claims:#{lease.token}")
        end
      end
    end
  end
end
