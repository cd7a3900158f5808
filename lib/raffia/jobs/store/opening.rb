# frozen_string_literal: true

require_relative "../errors"

module Raffia
  module Jobs
    class Store
      # By what a store's address begins with: the file that has it, and its class.
      SCHEMES = {
        "memory" => %w[memory Memory],
        "sqlite" => %w[sqlite SQLite], "sqlite3" => %w[sqlite SQLite],
        "redis" => %w[redis Redis], "rediss" => %w[redis Redis], "valkey" => %w[redis Redis], "unix" => %w[redis Redis],
        "postgres" => %w[postgres Postgres], "postgresql" => %w[postgres Postgres]
      }.freeze

      # @param url [String] such as "sqlite:jobs.db"
      # @param options [Hash] of that store
      # @return [Store]
      # @raise [ConfigError]
      # @raise [MissingDependency] when its gem is not installed
      def self.open(url, **options)
        scheme = url[/\A([a-z0-9]+):/, 1]
        file, name = SCHEMES[scheme] || raise(ConfigError, "#{url.inspect} is no store: use one such as #{EXAMPLES}")
        require_relative "../stores/#{file}"
        Stores.const_get(name).new(url, **options)
      end

      # For messages.
      EXAMPLES = "sqlite:jobs.db, redis://localhost:6379/0, postgres://localhost/app or memory:"
    end
  end
end
