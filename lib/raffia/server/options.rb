# frozen_string_literal: true

require_relative "config"
require_relative "../base/log"
require_relative "../executor/cpus"
require_relative "settings"
require_relative "listen/bind"

module Raffia
  class Server
    # The settings of one server: a reader for each row of {Settings}. Frozen, shareable.
    #
    # @api private
    class Options < ::Data.define(*Settings.names)
      FROM_ENVIRONMENT = %i[bind port processes environment].freeze
      private_constant :FROM_ENVIRONMENT

      # Settings that are not given come from the environment, else they have their default. Raises
      # ConfigError for unknown names and invalid values.
      def self.build(given = {}, config: Config.load)
        defaults = FROM_ENVIRONMENT.to_h { |name| [name, config.public_send(name)] }.compact
        settings = Settings.build(defaults.merge(given.transform_keys(&:to_sym)))
        ::Ractor.make_shareable(new(**settings))
      end

      def environment = super || "development"

      def development? = environment == "development"

      # Parsed addresses. The default is this machine in development, else all addresses.
      def binds
        return bind.map { |uri| Listen::Bind.parse(uri) } unless bind.empty?

        address = host || (development? ? "localhost" : "[::]")
        address = "[#{address}]" if address.count(":") > 1 && !address.start_with?("[")
        [Listen::Bind.parse(
          "#{(tls == :off && tls_cert.empty?) ? "tcp" : "ssl"}://#{address}:#{port}"
        )]
      end

      def logger(out)
        config = Raffia.config(:info)
        level = log ? log_level || config.log_level : :off
        Log.build(config.with(log_level: level, log_format: log_format || config.log_format),
          out: out)
      end

      # Worker processes at first; 0: the server runs in this process.
      def workers
        return processes.begin if elastic?
        return processes unless processes == :auto

        (ractors == :auto) ? 1 : [Executor::Cpus.count / ractor_count, 1].max
      end

      # Whether the number of worker processes follows their load.
      def elastic? = processes.is_a?(::Range)

      def most_workers = elastic? ? processes.end : workers

      # Threads that stay, and the most that there are for requests at a time.
      def least_threads = threads.is_a?(::Range) ? threads.begin : 0

      def most_threads = threads.is_a?(::Range) ? threads.end : threads

      def ractor_count = (ractors == :auto) ? Executor::Cpus.count : [ractors, 1].max

      def ractors? = ractors != 0

      def threaded? = execution == :threads
    end
  end
end
