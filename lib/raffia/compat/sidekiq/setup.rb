# frozen_string_literal: true

require_relative "../config"
require_relative "middleware_adapter"
require_relative "configuration"
require_relative "connections"
require_relative "launcher"

module Sidekiq
  # State of the compat layer in this process.
  #
  # @api private
  class Setup
    attr_reader :configuration, :connections
    # Blocks of {Sidekiq.configure_server} that run when a worker starts.
    attr_reader :server_blocks
    attr_accessor :job_options

    def initialize
      @configuration = Configuration.new
      @connections = Connections.new
      @server_blocks = []
      @subscription = nil
      @job_options = {"retry" => true, "queue" => "default"}.freeze
    end

    def attach
      setup = Raffia::Jobs::Setup.current
      url = Raffia::Compat::Config.load.redis_url and setup.default = url
      setup.client_middleware.add(MiddlewareAdapter::Enqueue.new(@configuration.client_middleware))
      setup.worker_middleware.add(MiddlewareAdapter::Perform.new(@configuration))
      setup.at_start << method(:started)
    end

    private

    def started(worker, _log)
      @configuration[:queues] = worker.queues.names
      @server_blocks.shift.call(@configuration) until @server_blocks.empty?
      @subscription ||= Raffia.instrument.subscribe(:job_fail) { |event|
        handle_unstarted(**event.data) unless event.data[:on]
      }
      @configuration.events.startup
      launch
    end

    def launch
      return if @launcher

      @launcher = Launcher.new(@configuration)
      @launcher.run
      Raffia::Signals.at_exit do
        @launcher.quiet
        @launcher.stop
      end
    end

    # Middleware and hooks do not see a job without a class, or an unreadable one.
    def handle_unstarted(error:, verdict:, **)
      item = Raffia::Jobs::Worker::Run.current.item
      @configuration.handle_exception(error, {context: "Job raised exception", job: item})
      RetryHooks.died(item, error) unless verdict == :retry
    end
  end
end
