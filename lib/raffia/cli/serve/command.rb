# frozen_string_literal: true

require_relative "../user_code"
require_relative "../../server"
require_relative "../../server/config_file"
require_relative "banner"
require_relative "check"
require_relative "sample"

module Raffia
  module CLI
    module Serve
      # Collects the settings of `raffia serve`, and serves.
      #
      # @api private
      class Command
        include UserCode

        def initialize(flags, path, out)
          @given = flags.given
          @asked = flags.asked
          @path = path
          @out = out
          @pid = ::Process.pid
        end

        def call
          return Sample.new(@out).call if @asked[:init]

          chosen = settings
          @asked[:check] ? check(chosen) : serve(chosen)
        end

        private

        def check(settings)
          Check.new(settings, application, @file, @out, json: @asked[:json]).call
        end

        # The file may ask for its environment, so that is set first.
        def settings
          # Before what systemd says is taken out of the environment.
          @config = Service::Config.load
          @command = Server::Takeover::StartCommand.read(own: Service::Config.systemd)
          Service.export_environment(@given[:environment], force: true) if @given[:environment]
          options = Server::Options.build(settings = read)
          Service.export_environment(options.environment, force: settings.key?(:environment))
          settings
        end

        def read
          path = @asked.fetch(:config) { Server::ConfigFile.find }
          @file = (attempt { Server::ConfigFile.read(path) } if path)
          {**(@file&.given || {}), **(elsewhere? ? {bind: []} : {}), **@given}
        end

        def application
          guarded(@path ? Server::Application.at(@path) :
            @file&.application || Server::Application.at(nil))
        end

        # Arguments for a new generation, see {Server#initialize}.
        def renewed
          settings = read
          [application, @file&.hooks || Server::Hooks.new, settings]
        end

        # -p alone replaces the binds of the file.
        def elsewhere? = !@given.key?(:bind) && (@given.key?(:port) || @given.key?(:host))

        def serve(settings)
          @yjit = Server::Options.build(settings).yjit
          server = Server.new(app = application, hooks: @file&.hooks, renew: method(:renewed),
            **settings)
          server.run(config: @config, others: others(server), takeover: !!@asked[:takeover],
            command: @command) do |listeners|
            Banner.new(server, app, @file, listeners, json: @asked[:json]).print(@out)
          end
        end

        # Enabled here: machine code of boot code, and in the supervisor, is not worth its memory.
        def compile = (::RubyVM::YJIT.enable if @yjit && defined?(::RubyVM::YJIT.enable))

        # Further roles under the same supervisor.
        def others(_server) = []

        def guarded(application)
          outer = Server::Application.new(application.name) do |mode|
            application.load_as(mode)
            application.execution = outer.execution
            attempt { application.load }.tap { compile }
          end
        end
      end
    end
  end
end
