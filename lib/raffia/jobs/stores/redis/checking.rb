# frozen_string_literal: true

module Raffia
  module Jobs
    module Stores
      class Redis < Store
        # Looks for what cannot be, unless somebody else has written to our keys or Redis has lost
        # some of them.
        module Checking
          # Where others write, too.
          SETS_OF_BYTES = %i[queue scheduled retry].freeze

          # @see Store#check
          def check = unreadable + odd_claims + odd_limits + odd_batches + orphans + ghosts

          private

          def unreadable
            redis(safe: true) do |connection|
              SETS_OF_BYTES.flat_map { |set| Places.all(connection, set) }.uniq(&:key)
                .filter_map do |place|
                bad = each_entry(connection, [place]).count { |entry| entry.jid.nil? }
                "#{place.key} has #{bad} payloads that no worker can read" if bad.positive?
              end
            end
          end

          def odd_claims
            redis(safe: true) do |connection|
              known = Places.tokens(connection)
              scan(connection, "raffia:claims:").filter_map do |key, token|
                unless known.include?(token.to_i)
                  "#{key} has jobs of a lease that there is not: nobody will take them"
                end
              end
            end
          end

          def ghosts
            workers = processes
            redis(safe: true) do |connection|
              Store::UnknownClaims.find(workers,
                Places.tokens(connection).flat_map { |token| claims_by(connection, token) })
            end
          end

          def claims_by(connection, token)
            each_entry(connection, [Places::Running.new(:running, "raffia:claims:#{token}", nil)])
              .map { |entry| [entry.jid, token, entry.at] }
          end

          def odd_limits
            redis(safe: true) do |connection|
              scan(connection, "raffia:running:").filter_map do |key, name|
                gone = @scripts.call(connection, :holders, [key])
                if gone.positive?
                  "#{key} counts #{gone} runs that there are not, so #{name} may have fewer at a " \
                    "time than its limit"
                end
              end
            end
          end

          def odd_batches
            batches(limit: 100_000).filter_map do |batch|
              unless batch["pending"] >= 0 && batch["dead"] >= 0 &&
                  batch["pending"] + batch["dead"] <= batch["total"]
                "batch #{batch["id"]} has #{batch["pending"]} pending and #{batch["dead"]} dead " \
                "of " \
                  "#{batch["total"]} jobs"
              end
            end
          end

          # A worker of Sidekiq that has done a unique job does not know that its key is to be given
          # back.
          def orphans
            taken.reject { |_, jid| find(jid) } # it may have moved meanwhile
              .map do |name, jid|
                "the key #{name} is taken by job #{jid}, which is not there any more: delete " \
                  "raffia:unique:#{name}"
              end
          end

          # @return [Array<Array(String, String)>] keys that are not given back by the clock, and
          #   whose job was not seen
          def taken
            redis(safe: true) do |connection|
              held = scan(connection, "raffia:unique:")
                .filter_map do |key, name|
                  [name, connection.call("HGET", key, "jid")] if connection.call("TTL", key) == -1
                end
              next [] if held.empty?

              there =
                Store::SETS.flat_map { |set|
                  each_entry(connection, Places.all(connection, set))
                    .map(&:jid)
                }.to_set
              held.reject { |_, jid| there.include?(jid) }
            end
          end

          # @return [Array<Array(String, String)>] keys, and what they have behind the prefix
          def scan(connection, prefix)
            connection.scan("MATCH", "#{prefix}*", "COUNT", 1000)
              .map { |key| [key, key.delete_prefix(prefix)] }
          end
        end
      end
    end
  end
end
