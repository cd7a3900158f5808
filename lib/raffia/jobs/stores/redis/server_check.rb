# frozen_string_literal: true

require_relative "../../error"

module Raffia
  module Jobs
    module Stores
      class Redis < Store
        # Checks once whether a server can keep jobs: its version, its mode, its eviction policy.
        # @api private
        class ServerCheck
          # For ZRANGE BYSCORE and RPOP with a count.
          OLDEST = "6.2"

          def initialize(shown)
            @shown = shown
            @done = false
          end

          def done? = @done

          def call(connection)
            facts = ask(connection)
            refuse(facts)
            @done = true
            warn_of_eviction(facts["maxmemory_policy"])
          end

          private

          # A user may be denied INFO.
          def ask(connection)
            connection.call("INFO").scan(/^([a-z_]+):(.*?)\r?$/).to_h
          rescue ::RedisClient::PermissionError
            {}
          end

          def refuse(facts)
            if facts["cluster_enabled"] == "1"
              raise ConfigError, "#{@shown} is a Redis Cluster, where the keys of one job would " \
                "be on several servers: use a single Redis, with replicas"
            end

            version = facts["redis_version"].to_s[/\A\d+(?:\.\d+)*/]
            return if version.nil? || ::Gem::Version.new(version) >= ::Gem::Version.new(OLDEST)

            raise ConfigError, "#{@shown} is Redis #{version}, and jobs need #{OLDEST} or later"
          end

          def warn_of_eviction(policy)
            return if policy.nil? || policy == "noeviction"

            warn "raffia: Redis at #{@shown} has maxmemory-policy #{policy}, so when its memory " \
              "is full it throws jobs away without a word: set maxmemory-policy noeviction"
          end
        end
      end
    end
  end
end
