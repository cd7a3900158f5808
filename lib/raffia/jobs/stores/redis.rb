# frozen_string_literal: true

require_relative "../store"
require_relative "redis/address"
require_relative "redis/administration"
require_relative "redis/batches"
require_relative "redis/claims"
require_relative "redis/completion"
require_relative "redis/enqueue"
require_relative "redis/inspection"
require_relative "redis/key_values"
require_relative "redis/leases"
require_relative "redis/maintenance"
require_relative "redis/notifier"
require_relative "redis/recovery"
require_relative "redis/schedule"
require_relative "redis/client"
require_relative "redis/sidekiq_format"
require_relative "redis/statistics"

module Raffia
  module Jobs
    module Stores
      # Keeps jobs in Redis or Valkey (6.2 or later) in Sidekiq's format: Raffia's workers run jobs
      # of Sidekiq's clients, Sidekiq's workers run Raffia's jobs, and Sidekiq's Web shows both.
      # Keys that Sidekiq does not know begin with "raffia:"; docs/adr/0014 lists them.
      #
      #     Raffia::Jobs.store = "redis://:password@host:6379/0"
      #     Raffia::Jobs.store = "rediss://host:6380/0?compat=7"
      #     Raffia::Jobs.store = "unix:///run/redis/redis.sock?db=1"
      #
      # A script claims jobs by moving them into a hash of the lease, so no job is in a worker's
      # memory only. Redis notifies a waiting worker of changes to the keys that it has read
      # (client-side caching, `CLIENT TRACKING`), so nothing is polled, also not for scheduled jobs
      # of other clients.
      class Redis < Store
        # @param url [String] redis, rediss or valkey://[user:password@]host[:port][/db], or
        #   unix:///path; `?` compat, pool, timeout
        # @param options [Hash] `compat:` 7 or 8, the version of Sidekiq whose time fields are
        #   written (nil: that of its live processes); `pool:` most connections; `timeout:` seconds
        #   for an answer; `ssl_params:` for rediss, see OpenSSL::SSL::SSLContext#set_params
        # @raise [ConfigError]
        # @raise [MissingDependency]
        def initialize(url, **options)
          @address = Address.new(url, **options)
          @redis = Client.new(@address)
          @notifier = Notifier.new(@redis)
          @key_values = KeyValues.new(@redis)
          @claims = Claims.new(@redis)
          @inspection = Inspection.new(@redis)
          build_groups(SidekiqFormat.new(@redis, @address.compat))
        end

        # @return [String] without its password
        def url = @address.shown

        # @return [RedisClient] a connection for data beside the jobs, which the caller closes
        def client = @redis.fresh

        # (see Store#close)
        def close
          @notifier.close
          @redis.close
        end

        private

        # The groups that write in Sidekiq's format.
        def build_groups(format)
          @enqueue = Enqueue.new(@redis, format)
          @completion = Completion.new(@redis, format)
          @schedule = Schedule.new(@redis, format)
          @statistics = Statistics.new(@redis, format)
          @leases = Leases.new(@redis, @statistics)
          @recovery = Recovery.new(@redis, format)
          @batches = Batches.new(@redis, format)
          @administration = Administration.new(@redis, format)
          @maintenance = Maintenance.new(@redis, @inspection, @leases, @batches)
        end
      end
    end
  end
end
