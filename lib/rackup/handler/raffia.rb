# frozen_string_literal: true

require_relative "../../raffia/server"
require_relative "../../raffia/server/config_file"

Raffia::Optional.gem("rackup", for: "Rackup's handler", feature: "rackup/handler")

# Rackup's own.
module Rackup
  # Where it looks for servers by name.
  module Handler
    # `rackup -s raffia` and `rails server -u raffia`. It serves in the process that rackup has
    # started, unless processes are asked for: `rackup -s raffia -O processes=2`. A raffia.rb
    # counts, and what the command line says counts more.
    module Raffia
      # What rackup and Rails call differently.
      NAMES = {Host: :host, Port: :port, environment: :environment}.freeze
      # For rackup these always have a value, so they say nothing unless there is no raffia.rb.
      DEFAULTS = {processes: 0}.freeze
      private_constant :NAMES, :DEFAULTS

      class << self
        # @param app [#call]
        # @param options [Hash] of rackup or Rails; those that are not ours are left alone
        # @yieldparam server [Raffia::Server]
        # @return [void]
        # @raise [SystemExit] when it had to give up
        # @raise [Raffia::ConfigError]
        # @raise [Raffia::Server::CannotListen]
        def run(app, **options)
          file = config_file
          server = ::Raffia::Server.new(app, hooks: file&.hooks, **DEFAULTS,
            **settings(options, file))
          yield server if block_given?
          code = server.run { |listeners| say(server, listeners) unless options[:Silent] }
          exit(code) unless code.zero? # rackup and Rails do not ask how it went
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
          said = options.to_h { |name, value| [NAMES.fetch(name, name), value] }
            .slice(*::Raffia::Server::Settings.names).compact
          return said unless file

          defaults = said.keys - typed(options)
          {**said.slice(*defaults), **file.given, **said.except(*defaults),
            **binds(file, typed(options))}
        end

        # Rails tells what was really typed. Rackup does not: there a raffia.rb goes before the host
        # and the port.
        def typed(options)
          names = options[:user_supplied_options] || (options.keys - NAMES.keys)
          names.map { |name| NAMES.fetch(name, name) }
        end

        # Who types a port means that one.
        def binds(file, typed)
          (file.given.key?(:bind) && typed.intersect?(%i[host port])) ? {bind: []} : {}
        end

        def say(server, listeners)
          ::Kernel.puts "Raffia #{::Raffia::VERSION} in #{server.options.environment}: " \
            "#{listeners.map(&:url).join(", ")}"
          $stdout.flush
        end
      end
    end

    register :raffia, Raffia

    # `rails server` loads this file between the application's own and its initialisation: the last
    # moment to say that requests are to run in fibers. `rackup` loads it later, and then an
    # application that keeps what belongs to a request by thread runs on threads.
    ::Raffia::Server::Isolation.set_level
  end
end
