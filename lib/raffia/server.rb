# frozen_string_literal: true

require_relative "../raffia"
require_relative "server/options"
require_relative "server/listening"
require_relative "server/handle"
require_relative "server/alone"

module Raffia
  # A Rack server: worker processes, fibers in each.
  #
  #     Raffia::Server.new(app, bind: "tcp://127.0.0.1:9292", processes: 2).run
  #
  # A program that wants one beside its own work, or a test:
  #
  #     server = Raffia::Server.start(app, bind: "tcp://127.0.0.1:0")
  #     Net::HTTP.get(URI(server.url))
  #     server.stop
  class Server
    # Runs a server in a thread of this process, without signals and without further processes.
    #
    # @param app [#call] a Rack application
    # @param options [Hash] as {new} takes them
    # @return [Handle] once it accepts; with a block its value, and the server is stopped then
    # @yieldparam handle [Handle]
    # @raise [ConfigError]
    def self.start(app, bind: "tcp://127.0.0.1:0", **options)
      handle = Handle.new(new(app, **options, bind: bind, processes: 0))
      return handle unless block_given?

      begin
        yield handle
      ensure
        handle.stop
      end
    end

    # @return [Options]
    attr_reader :options

    # @param app [#call] a Rack application
    # @param options [Hash] each row of {Option::TABLE}; guides/server.md lists them
    # @raise [ConfigError] for an option that does not exist or makes no sense
    def initialize(app, **options)
      raise ConfigError, "a server needs an application, which has a method `call`: #{app.inspect} has none" unless app.respond_to?(:call)

      @app = app
      @options = Options.build(options)
    end

    # Serves until the process is told to stop: INT, TERM and QUIT end the requests in flight first, a second one does not wait for them.
    #
    # @yield once the server accepts
    # @yieldparam listeners [Array<Listener>]
    # @return [Integer] the exit code that tells how it went
    # @raise [ConfigError] when an address cannot be had
    def run(&)
      listening = Listening.new(options, inherited: Raffia.config.inherited)
      options.workers.zero? ? Alone.new(@app, listening, options).run(&) : Supervised.new(@app, listening, options).run(&)
    ensure
      listening&.close
    end

    # @api private
    def alone = Alone.new(@app, Listening.new(options), options)
  end
end
