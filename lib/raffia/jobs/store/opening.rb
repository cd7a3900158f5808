# frozen_string_literal: true

require_relative "../errors"

module Raffia
  module Jobs
    class Store
      # By what a store's address begins with: the file that has it, and its class.
      SCHEMES = {
        "memory" => "memory Memory",
        "sqlite" => "sqlite SQLite", "sqlite3" => "sqlite SQLite",
        "redis" => "redis Redis", "rediss" => "redis Redis", "valkey" => "redis Redis",
        "unix" => "redis Redis",
        "postgres" => "postgres Postgres", "postgresql" => "postgres Postgres"
      }.freeze

      # @param url [String] such as "sqlite:jobs.db"
      # @param options [Hash] of that store
      # @return [Store]
      # @raise [ConfigError]
      # @raise [MissingDependency] when its gem is not installed
      def self.open(url, **options)
        scheme = url[/\A([a-z0-9]+):/, 1]
        file, name = SCHEMES[scheme]&.split ||
          raise(ConfigError, "#{shown(url).inspect} is no store: use one such as #{EXAMPLES}")
        require_relative "../stores/#{file}"
        Stores.const_get(name).new(url, **options)
      end

      # Names behind the ? of an address whose values nobody is to see.
      SECRET = /pass|pwd|secret|token|auth|cred/i
      private_constant :SECRET

      # @param url [String] any address, also one that makes no sense
      # @return [String] without what is secret in it, for people
      def self.shown(url)
        place, query = url.split("?", 2)
        told = query.to_s.split("&").reject { |pair| SECRET.match?(pair.split("=", 2).first.to_s) }
        [place.to_s.sub(%r{//.*@}, "//"), *(told.join("&") if told.any?)].join("?")
      end

      # For messages.
      EXAMPLES = "sqlite:jobs.db, redis://localhost:6379/0, postgres://localhost/app or memory:"
    end
  end
end
