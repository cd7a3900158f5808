# frozen_string_literal: true

require "did_you_mean"
require_relative "../../base/config"
require_relative "../../base/log"
require_relative "../../executor/cpus"
require_relative "option/table"
require_relative "../listen/bind"

module Raffia
  class Server
    # All settings of a server, each row of {Option::TABLE} a reader. Frozen and shareable, so it
    # may go to Ractors.
    class Options < ::Data.define(*Option::TABLE.map(&:name))
      # The rows by name.
      ROWS = ::Ractor.make_shareable(Option::TABLE.to_h { |row| [row.name, row] })
      # What the environment may say, under the names that {Config} has for it.
      FROM_ENVIRONMENT = %i[bind port processes environment].freeze
      private_constant :ROWS, :FROM_ENVIRONMENT

      class << self
        # @param given [Hash{Symbol => Object}] what is set; everything else is what the environment
        #   says, or the default
        # @param config [Config]
        # @return [Options]
        # @raise [ConfigError] for a name that is none of {Option::TABLE}, or a value that makes no
        #   sense
        def build(given = {}, config: Raffia.config)
          from_environment = FROM_ENVIRONMENT.to_h { |name| [name, config.public_send(name)] }
            .compact
          set = from_environment.merge(given.to_h { |name, value| [name.to_sym, value] })
          set = Option::TABLE.to_h { |row| [row.name, row.default] }
            .merge(set.to_h { |name, value| [name, read(name, value)] })
          ::Ractor.make_shareable(new(**set))
        end

        # @return [Object] the value as an option keeps it
        # @raise [ConfigError]
        def read(name, value) = row(name).read(value)

        # @return [Option]
        # @raise [ConfigError] with the name that may have been meant
        def row(name)
          ROWS.fetch(name.to_sym) do
            guess = DidYouMean::SpellChecker.new(dictionary: ROWS.keys).correct(name).first
            raise ConfigError, "there is no option #{name}#{": did you mean #{guess}?" if guess}"
          end
        end
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

        (ractors == :auto) ? 1 : [Executor::Cpus.count / lanes, 1].max
      end

      # @return [Integer] in each process
      def lanes = (ractors == :auto) ? Executor::Cpus.count : [ractors, 1].max

      # @return [Boolean]
      def ractors? = ractors != 0

      # @return [Boolean] whether the application runs on threads, as far as is known yet
      def threaded? = execution == :threads
    end
  end
end
