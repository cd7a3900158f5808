# frozen_string_literal: true

require_relative "../../../task"
require_relative "scripts"

module Raffia
  module Jobs
    module Stores
      class Redis < Store
        # Runs commands and scripts on pooled connections. A child process makes its own.
        #
        # A command whose connection is lost may have been done. It is retried only if it may be
        # done twice (`safe`), or if Redis has refused it, as during a failover.
        # @api private
        class Client
          # Jobs that one script moves: Redis does nothing else meanwhile.
          SLICE = 100
          # Errors of a server that has done nothing, and may not be the master any more.
          ELSEWHERE = /\A(?:READONLY|NOREPLICAS|MASTERDOWN|UNBLOCKED)/

          # For ZRANGE BYSCORE and RPOP with a count.
          OLDEST = "6.2"

          attr_reader :scripts

          def initialize(address)
            @address = address
            @scripts = Scripts.new
            @lock = Monitor.new
            reset
          end

          def with(safe: false)
            tries = 0
            begin
              with_connection { |connection| yield connection }
            rescue ::RedisClient::Error => error
              close_idle if error.is_a?(::RedisClient::ConnectionError)
              retry if (tries += 1) == 1 && retry?(error, safe)
              raise error_class(error), describe(error)
            end
          end

          # Runs a command that may be done twice.
          def call(*command) = with(safe: true) { |connection| connection.call_v(command) }

          def script(name, *arguments, safe: false)
            with(safe: safe) { |connection| @scripts.call(connection, name, arguments) }
          end

          # Moves jobs that are still where they were. `how` is "queue", "front", "dead", "gone",
          # or "another" for another queue in the same set;
          # a row has key, present member, new payload, queue.
          def move(how, rows)
            rows.each_slice(SLICE).sum { |slice| script(:move, how, *slice.flatten) }
          end

          # The caller closes it.
          def fresh = @address.client

          def close = close_idle

          private

          def with_connection
            reset unless @pid == ::Process.pid
            idle = @idle
            @permits.synchronize do
              connection = idle.pop || @address.client
              begin
                @checked ||= check(connection)
                yield connection
              rescue ::RedisClient::Error => error
                connection.close if error.message.match?(ELSEWHERE)
                raise
              ensure
                idle.push(connection)
              end
            end
          end

          # Whether the server can keep jobs. A user may be denied INFO.
          def check(connection)
            info = connection.call("INFO").scan(/^([a-z_]+):(.*?)\r?$/).to_h
            if info["cluster_enabled"] == "1"
              raise ConfigError, "#{@address.shown} is a Redis Cluster, where the keys of one " \
                "job would be on several servers: use a single Redis, with replicas"
            end

            check_version(info["redis_version"].to_s[/\A\d+(?:\.\d+)*/])
            warn_of_eviction(info["maxmemory_policy"])
            true
          rescue ::RedisClient::PermissionError
            true
          end

          def check_version(version)
            return if version.nil? || ::Gem::Version.new(version) >= ::Gem::Version.new(OLDEST)

            raise ConfigError,
              "#{@address.shown} is Redis #{version}, and jobs need #{OLDEST} or later"
          end

          def warn_of_eviction(policy)
            return if policy.nil? || policy == "noeviction"

            warn "raffia: Redis at #{@address.shown} has maxmemory-policy #{policy}, so when its " \
              "memory is full it evicts jobs silently: set maxmemory-policy noeviction"
          end

          # A child makes new connections: the parent's may be in use.
          def reset
            @lock.synchronize do
              next if @pid == ::Process.pid

              @idle = []
              @permits = Semaphore.new(@address.connections)
              @pid = ::Process.pid
            end
          end

          # When one is lost, the others are, too.
          def close_idle
            connections = @idle.shift(@idle.size)
            connections.each(&:close)
          end

          def retry?(error, safe)
            error.message.match?(ELSEWHERE) || (safe && error.is_a?(::RedisClient::ConnectionError))
          end

          def error_class(error)
            refused?(error) ? StoreRefused : StoreUnavailable
          end

          # Another try would end in the same way.
          def refused?(error)
            error.is_a?(::RedisClient::AuthenticationError) ||
              error.message.match?(/\A(?:NOAUTH|ERR DB index is out of range)/)
          end

          def describe(error)
            if error.message.start_with?("NOAUTH")
              return "Redis at #{@address.shown} needs a password: write it as " \
                "redis://:password@host:port/0"
            end

            problem = case error
            when ::RedisClient::AuthenticationError then "refuses the password"
            when ::RedisClient::OutOfMemoryError
              "has reached its maxmemory, and stores nothing more"
            when ::RedisClient::ConnectionError then "cannot be reached"
            else "refuses"
            end
            "Redis at #{@address.shown} #{problem}: #{error.message}"
          end
        end
      end
    end
  end
end
