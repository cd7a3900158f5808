# frozen_string_literal: true

require_relative "../store"
require_relative "redis/address"
require_relative "redis/claim_group"
require_relative "redis/client"
require_relative "redis/collections"
require_relative "redis/sidekiq_format"
Raffia::Jobs::Store::OPERATIONS.each_key { |group| require_relative "redis/#{group}" }

module Raffia
  module Jobs
    module Stores
      # Keeps jobs in Redis or Valkey (6.2 or later) in Sidekiq's format: workers of both run jobs
      # of both, and Sidekiq's Web shows them. docs/adr/0014 lists Raffia's own keys.
      #
      #     Raffia::Jobs.store = "redis://:password@host:6379/0"
      #     Raffia::Jobs.store = "rediss://host:6380/0?compat=7"
      #     Raffia::Jobs.store = "unix:///run/redis/redis.sock?db=1"
      #
      # A script claims jobs by moving them into a hash of the lease. Redis notifies a waiting
      # worker of changes to keys that it has read (client-side caching, `CLIENT TRACKING`), so
      # nothing is polled, also not for scheduled jobs of other clients.
      class Redis < Store
        # Options: `compat:` 7 or 8, the version of Sidekiq whose time fields are written (nil: that
        # of its live processes); `pool:` most connections; `timeout:` seconds for an answer;
        # `ssl_params:` for rediss, see OpenSSL::SSL::SSLContext#set_params.
        def initialize(url, **options)
          @address = Address.new(url, **options)
          @redis = Client.new(@address)
          build_groups(redis: @redis, format: SidekiqFormat.new(@redis, @address.compat))
        end

        # The address without a password.
        def url = @address.shown

        # The script of a wait reads lengths of queues.
        def wait_reads_queues? = true

        # A connection for data beside the jobs; the caller closes it.
        def client = @redis.fresh

        # Closes connections. A later operation opens them again.
        def close
          @notifier.close
          @redis.close
        end
      end
    end
  end
end
