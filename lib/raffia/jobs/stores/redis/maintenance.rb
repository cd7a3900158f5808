# frozen_string_literal: true

require_relative "flow_check"

module Raffia
  module Jobs
    module Stores
      class Redis < Store
        class Maintenance < Store::Maintenance
          # Sets that other programs write to.
          OPEN_SETS = %i[queue scheduled retry].freeze
          # Flows that one script removes: Redis does nothing else meanwhile.
          FLOWS = 500

          needs :redis, :inspection, :leases, :batches, :workflows

          def prune(dead_for: 180 * 86_400, dead_max: 10_000, batches_for: 7 * 86_400)
            now = Time.now.to_f
            @redis.call("ZREMRANGEBYSCORE", "dead", "-inf", now - dead_for)
            @redis.call("ZREMRANGEBYRANK", "dead", 0, -(dead_max + 1))
            @redis.script(:prune, now - batches_for, safe: true)
            prune_flows(now - batches_for)
            nil
          end

          # Violations come from other programs that write here, or a loss of keys.
          def check
            unreadable + orphaned_claims + wrong_limits + wrong_batches + @workflows.check +
              orphaned_keys + unknown_claims + FlowCheck.new(@redis, @inspection).violations
          end

          private

          def prune_flows(time)
            nil while @redis.script(:prune_flows, time, FLOWS, safe: true) == FLOWS
          end

          def unreadable
            @redis.with(safe: true) do |connection|
              collections = OPEN_SETS.flat_map { |set| Collections.all(connection, set) }
              collections.uniq(&:key).filter_map do |one|
                bad = Collections.each_entry(connection, [one]).count { |entry| entry.jid.nil? }
                "#{one.key} has #{bad} payloads that no worker can read" if bad.positive?
              end
            end
          end

          def orphaned_claims
            @redis.with(safe: true) do |connection|
              known = Collections.tokens(connection)
              scan(connection, "raffia:claims:").filter_map do |key, token|
                next if known.include?(token.to_i)

                "#{key} has jobs of an unknown lease: no worker will take them"
              end
            end
          end

          def unknown_claims
            processes = @leases.processes
            claims = @redis.with(safe: true) do |connection|
              Collections.tokens(connection).flat_map do |token|
                Collections.each_entry(connection, [Collections.of_lease(token)])
                  .map { |entry| [entry.jid, token, entry.at] }
              end
            end
            Store::UnknownClaims.find(processes, claims)
          end

          def wrong_limits
            @redis.with(safe: true) do |connection|
              scan(connection, "raffia:running:").filter_map do |key, name|
                gone = @redis.scripts.call(connection, :stale_runs, [key])
                next unless gone.positive?

                "#{key} counts #{gone} runs that do not exist, so #{name} may have fewer at a " \
                "time than its limit"
              end
            end
          end

          def wrong_batches
            @batches.batches(limit: 100_000).filter_map do |batch|
              id, total, pending, dead = batch.values_at("id", "total", "pending", "dead")
              next if pending >= 0 && dead >= 0 && pending + dead <= total

              "batch #{id} has #{pending} pending and #{dead} dead of #{total} jobs"
            end
          end

          # Sidekiq's workers do not free keys of unique jobs.
          def orphaned_keys
            unseen_owners.reject { |_, jid| @inspection.find(jid) } # it may have moved meanwhile
              .map do |name, jid|
                "the key #{name} is taken by job #{jid}, which does not exist: delete " \
                "raffia:unique:#{name}"
              end
          end

          # Names of keys that do not expire, with jobs that were not found.
          def unseen_owners
            @redis.with(safe: true) do |connection|
              owners = scan(connection, "raffia:unique:").filter_map do |key, name|
                [name, connection.call("HGET", key, "jid")] if connection.call("TTL", key) == -1
              end
              next [] if owners.empty?

              collections = Store::SETS.flat_map { |set| Collections.all(connection, set) }
              jids = Collections.each_entry(connection, collections).map(&:jid).to_set
              owners.reject { |_, jid| jids.include?(jid) }
            end
          end

          # Keys, and their names after the prefix.
          def scan(connection, prefix)
            connection.scan("MATCH", "#{prefix}*", "COUNT", 1000)
              .map { |key| [key, key.delete_prefix(prefix)] }
          end
        end
      end
    end
  end
end
