# frozen_string_literal: true

require_relative "../store"
require_relative "redis/address"
require_relative "redis/pool"
require_relative "redis/scripts"
require_relative "redis/dialect"
require_relative "redis/enqueueing"
require_relative "redis/leases"
require_relative "redis/batches"
require_relative "redis/checking"
require_relative "redis/claims"
require_relative "redis/looking"
require_relative "redis/operating"
require_relative "redis/watch"
require_relative "redis/upkeep"
require_relative "redis/history"
require_relative "redis/values"
require_relative "redis/workers"

module Raffia
  module Jobs
    module Stores
      # Jobs in Redis or Valkey (6.2 or later), kept as Sidekiq keeps them: its clients' jobs are
      # done by our workers, ours by its workers, and its Web shows both. What Sidekiq does not know
      # has keys that begin with "raffia:"; docs/adr/0014 says which.
      #
      #     Raffia::Jobs.store = "redis://:password@host:6379/0"
      #     Raffia::Jobs.store = "rediss://host:6380/0?compat=7"
      #     Raffia::Jobs.store = "unix:///run/redis/redis.sock?db=1"
      #
      # Claims are taken by a script that moves jobs into a hash of the lease's, so nothing is ever
      # in a worker's memory only. A worker that waits is told by Redis of each change of what it
      # has looked at (client-side caching, `CLIENT TRACKING`), so nobody polls, also not for
      # scheduled jobs of other clients.
      class Redis < Store
        include Enqueueing
        include Leases
        include Claims
        include Batches
        include Checking
        include Watching
        include Upkeep
        include Values
        include Looking
        include Operating
        include History
        include Workers

        # @param url [String] redis, rediss or valkey://[user:password@]host[:port][/db], or
        #   unix:///path; `?` compat, pool, timeout
        # @param options [Hash] `compat:` 7 or 8, the version of Sidekiq whose time fields are
        #   written (nil: that of its live processes); `pool:` how many connections at most;
        #   `timeout:` seconds for an answer; `ssl_params:` for rediss, see
        #   OpenSSL::SSL::SSLContext#set_params
        # @raise [ConfigError]
        # @raise [MissingDependency]
        def initialize(url, **options)
          super()
          @address = Address.new(url, **options)
          @pool = Pool.new(@address)
          @scripts = Scripts.new
          @dialect = Dialect.new(self, @address.compat)
          @watch = Watch.new(@pool, @scripts)
          @naming = Monitor.new
          @name = 0
          @unheard = []
        end

        # @return [String]
        def url = @address.shown

        # @return [RedisClient] one of its own for whoever has data beside the jobs, and closes it
        def client = @pool.fresh

        # @return [void]
        def close
          @watch.close
          @pool.close
        end

        # @return [String] without a password
        def inspect = "#<#{self.class} #{url}>"

        private

        # @param safe [Boolean] whether it may be done twice, when the connection is lost in the
        #   middle of it
        # @yieldparam connection [RedisClient]
        def redis(safe: false, &) = @pool.with(safe: safe, &)

        # @param name [Symbol] of a script
        def script(name, *arguments, safe: false)
          redis(safe: safe) { |connection| @scripts.call(connection, name, arguments) }
        end
      end
    end
  end
end
