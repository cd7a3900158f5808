# frozen_string_literal: true

require "json"
require_relative "statistics"

module Raffia
  module Jobs
    module Stores
      class Redis < Store
        # Workers, as Sidekiq's Web and API know them: `processes`, a hash for each with what it is
        # and does, `:work` with its jobs, and `-signals`, by which the Web tells it to stop. The
        # lease is a key of ours that runs out by the server's clock.
        module Leases
          # By what Sidekiq calls them.
          ORDERS = {"TSTP" => "quiet", "TERM" => "stop", "TTIN" => "dump"}.freeze

          # @see Store#enroll
          def enroll(identity, info, ttl: Store::LEASE)
            facts = Profile.facts(identity, info)
            token = script(:enroll, identity, milliseconds(ttl), "info", JSON.generate(facts),
              "concurrency", facts["concurrency"],
              *state_fields({}).flatten)
            Lease.new(identity, token, ttl)
          end

          # @see Store#beat
          def beat(lease, state = {}, tally: nil)
            fields = state_fields(state).flatten
            orders = script(:beat, lease.token, lease.identity, milliseconds(lease.ttl),
              fields.size, *fields, *Profile.work(state), safe: true)
            count(tally) # last, because who gets an error comes with the same tally again
            orders&.map { |order| ORDERS.fetch(order, order) }
          end

          # @see Store#renew
          def renew(lease)
            script(:renew, lease.token, lease.identity, milliseconds(lease.ttl), safe: true) == 1
          end

          # @see Store#held
          def held(lease) = fields_of(lease).map { |field| Taken.read(field).first(2) }

          # @see Store#give_back
          def give_back(lease, keys)
            fields = fields_of(lease).select { |field| keys.include?(Taken.read(field).first(2)) }
            script(:give_back, lease.token, *fields.sort_by { |field| Taken.read(field) }.reverse)
          end

          # @see Store#resign
          def resign(lease, tally: nil)
            count(tally)
            script(:resign, lease.token, lease.identity, safe: true)
            nil
          end

          private

          def fields_of(lease)
            redis(safe: true) do |connection|
              connection.call("HKEYS", "raffia:claims:#{lease.token}")
            end
          end

          def milliseconds(seconds) = (seconds * 1000).ceil

          def state_fields(state)
            {"busy" => state["busy"] || state["work"]&.size || 0, "beat" => Time.now.to_f,
             "quiet" => (state["quiet"] || false).to_s,
             "rss" => state["rss"] || 0, "rtt_us" => @rtt || 0}.to_a
          end

          def count(tally)
            return if tally.nil? || tally.processed.zero?

            version = @dialect.version
            redis do |connection|
              connection.pipelined do |pipeline|
                Statistics.write(pipeline, tally, version, Time.now.utc)
              end
            end
          end
        end
      end
    end
  end
end
