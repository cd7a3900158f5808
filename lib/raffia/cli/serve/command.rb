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
      # One call of `raffia serve`: puts the settings together, and serves.
      #
      # @api private
      class Command
        include UserCode

        # @param path [String, nil] of the application
        def initialize(flags, path, out)
          @given = flags.given
          @asked = flags.asked
          @path = path
          @out = out
          @pid = ::Process.pid
        end

        # @return [Integer] the exit code
        def call
          return Sample.new(@out).call if @asked[:init]

          options = settings
          @asked[:check] ? check(options) : serve(options)
        end

        private

        def check(said) = Check.new(said, application, @file, @out, json: @asked[:json]).call

        # The file may ask in which environment it is, so what the command line says about that
        # comes first.
        def settings
          Service.export_environment(@given[:environment], force: true) if @given[:environment]
          options = Server::Options.build(said = read)
          @config = Service::Config.load # before what systemd says is taken out of the environment
          Service.export_environment(options.environment, force: said.key?(:environment))
          said
        end

        # @return [Hash] what the file and the command line say
        def read
          path = @asked.fetch(:config) { Server::ConfigFile.find }
          @file = (attempt { Server::ConfigFile.read(path) } if path)
          {**(@file&.given || {}), **(elsewhere? ? {bind: []} : {}), **@given}
        end

        def application
          guarded(@path ? Server::Application.at(@path) :
            @file&.application || Server::Application.at(nil))
        end

        # As Server.new takes it: what all of this comes to when it is read again.
        def renewed
          said = read
          [application, @file&.hooks || Server::Hooks.new, said]
        end

        # -p means that port alone, without the binds of a file.
        def elsewhere? = !@given.key?(:bind) && (@given.key?(:port) || @given.key?(:host))

        def serve(said)
          @yjit = Server::Options.build(said).yjit
          server = Server.new(app = application, hooks: @file&.hooks, renew: method(:renewed),
            **said)
          server.run(config: @config, others: others(server)) do |listeners|
            Banner.new(server, app, @file, listeners, json: @asked[:json]).print(@out)
          end
        end

        # From here on: code that runs once, while the application is loaded, is not worth the
        # memory of its machine code, and the supervisor is not at all.
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
