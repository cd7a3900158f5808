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

          options = settings
          @asked[:check] ? check(options) : serve(options)
        end

        private

        def check(said) = Check.new(said, application, @file, @out, json: @asked[:json]).call

        # The file may ask for its environment, so that is set first.
        def settings
          Service.export_environment(@given[:environment], force: true) if @given[:environment]
          options = Server::Options.build(said = read)
          @config = Service::Config.load # before what systemd says is taken out of the environment
          Service.export_environment(options.environment, force: said.key?(:environment))
          said
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
          said = read
          [application, @file&.hooks || Server::Hooks.new, said]
        end

        # -p alone replaces the binds of the file.
        def elsewhere? = !@given.key?(:bind) && (@given.key?(:port) || @given.key?(:host))

        def serve(said)
          @yjit = Server::Options.build(said).yjit
          server = Server.new(app = application, hooks: @file&.hooks, renew: method(:renewed),
            **said)
          server.run(config: @config, others: others(server)) do |listeners|
            Banner.new(server, app, @file, listeners, json: @asked[:json]).print(@out)
          end
        end

        # Enabled here: machine code of boot code, and in the supervisor, is not worth its memory.
        def compile = (::RubyVM::YJIT.enable if @yjit && defined?(::RubyVM::YJIT.enable))

        # Further roles under the same supervisor.
        def others(_server) = []

        def guarded(application)
          outer = Server::Application.new(application.name) do |how|
            application.load_to(how)
            application.execution = outer.execution
            attempt { application.load }.tap { compile }
          end
        end
      end
    end
  end
end
