# frozen_string_literal: true

require_relative "config"
require_relative "../base/log"
require_relative "../executor/cpus"
require_relative "settings"
require_relative "listen/bind"

module Raffia
  class Server
    # The settings of one server, a reader for each row of {Settings}. Frozen and shareable, so they
    # may go to Ractors.
    class Options < ::Data.define(*Settings.names)
      # What the environment may say, under the names that {Config} has for it.
      FROM_ENVIRONMENT = %i[bind port processes environment].freeze
      private_constant :FROM_ENVIRONMENT

      # @param given [Hash{Symbol => Object}] what is set; everything else is what the environment
      #   says, or the default
      # @param config [Config]
      # @return [Options]
      # @raise [ConfigError] for a name that is not in {Settings}, or a value that makes no sense
      def self.build(given = {}, config: Config.load)
        said = FROM_ENVIRONMENT.to_h { |name| [name, config.public_send(name)] }.compact
        ::Ractor.make_shareable(new(**Settings.build(said.merge(given.transform_keys(&:to_sym)))))
      end

      # @return [String]
      def environment = super || "development"

      # @return [Boolean]
      def development? = environment == "development"

      # @return [Array<Listen::Bind>] where to listen. With nothing said: on this machine alone in
      #   development, else everywhere
      # @raise [ConfigError]
      def binds
        return bind.map { |uri| Listen::Bind.parse(uri) } unless bind.empty?

        address = host || (development? ? "localhost" : "[::]")
        address = "[#{address}]" if address.count(":") > 1 && !address.start_with?("[")
        [Listen::Bind.parse(
          "#{(tls == :off && tls_cert.empty?) ? "tcp" : "ssl"}://#{address}:#{port}"
        )]
      end

      # @param out [#write] where it writes
      # @return [Logger] as the options have it
      def logger(out)
        config = Raffia.config(:info)
        level = log ? log_level || config.log_level : :off
        Log.build(config.with(log_level: level, log_format: log_format || config.log_format),
          out: out)
      end

      # @return [Integer] how many worker processes there are; 0: none but this one
      def workers
        return processes unless processes == :auto

        (ractors == :auto) ? 1 : [Executor::Cpus.count / ractor_count, 1].max
      end

      # @return [Integer] in each process
      def ractor_count = (ractors == :auto) ? Executor::Cpus.count : [ractors, 1].max

      # @return [Boolean]
      def ractors? = ractors != 0

      # @return [Boolean] whether the application runs on threads, as far as is known yet
      def threaded? = execution == :threads
    end
  end
end
