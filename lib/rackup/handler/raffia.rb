# frozen_string_literal: true

require_relative "../../raffia/server"
require_relative "../../raffia/server/config_file"

Raffia::Optional.gem("rackup", for: "Rackup's handler", feature: "rackup/handler")

# Rackup's own.
module Rackup
  # Rackup's servers by name.
  module Handler
    # `rackup -s raffia` and `rails server -u raffia`. It serves in rackup's process unless
    # processes are set: `rackup -s raffia -O processes=2`. The command line overrides a raffia.rb.
    module Raffia
      # Names that rackup and Rails have for our settings.
      NAMES = {Host: :host, Port: :port, environment: :environment}.freeze
      # Settings without a raffia.rb and options.
      DEFAULTS = {processes: 0}.freeze
      private_constant :NAMES, :DEFAULTS

      class << self
        # @param app [#call]
        # @param options [Hash] of rackup or Rails; others are ignored
        # @yieldparam server [Raffia::Server]
        # @return [void]
        # @raise [SystemExit] when the server failed
        # @raise [Raffia::ConfigError]
        # @raise [Raffia::Server::CannotListen]
        def run(app, **options)
          file = config_file
          server = ::Raffia::Server.new(app, hooks: file&.hooks, **DEFAULTS,
            **settings(options, file))
          yield server if block_given?
          code = server.run { |listeners| announce(server, listeners) unless options[:Silent] }
          exit(code) unless code.zero? # rackup and Rails ignore the status
        end

        # @return [Hash{String => String}] for `rackup -s raffia --help`
        def valid_options
          ::Raffia::Server::Settings.to_h do |row|
            ["#{row.name}=#{row.argument || "true|false"}", row.description]
          end
        end

        private

        def config_file
          path = ::Raffia::Server::ConfigFile.find
          ::Raffia::Server::ConfigFile.read(path) if path
        end

        def settings(options, file)
          given = options.to_h { |name, value| [NAMES.fetch(name, name), value] }
            .slice(*::Raffia::Server::Settings.names).compact
          return given unless file

          defaults = given.keys - typed(options)
          {**given.slice(*defaults), **file.given, **given.except(*defaults),
            **binds(file, typed(options))}
        end

        # Options of the command line. Rails lists them; rackup does not, so a raffia.rb overrides
        # its host and port.
        def typed(options)
          names = options[:user_supplied_options] || (options.keys - NAMES.keys)
          names.map { |name| NAMES.fetch(name, name) }
        end

        # A typed host or port replaces the addresses of a raffia.rb.
        def binds(file, typed)
          (file.given.key?(:bind) && typed.intersect?(%i[host port])) ? {bind: []} : {}
        end

        def announce(server, listeners)
          ::Kernel.puts "Raffia #{::Raffia::VERSION} in #{server.options.environment}: " \
            "#{listeners.map(&:url).join(", ")}"
          $stdout.flush
        end
      end
    end

    register :raffia, Raffia

    # `rails server` loads this file before the application's initialisation, which is the last
    # moment to set isolation by fiber. `rackup` loads it later: then an application that isolates
    # requests by thread runs on threads.
    ::Raffia::Server::Isolation.set_level
  end
end
