# frozen_string_literal: true

require_relative "../../base/config"
require_relative "../../jobs"
require_relative "around"
require_relative "configuration"
require_relative "connections"

module Sidekiq
  # What this process has one of. In one object, as a module should have no state of its own.
  #
  # @api private
  class Setup
    # @return [Configuration]
    attr_reader :configuration
    # @return [Connections]
    attr_reader :connections
    # @return [Array<#call>] of {Sidekiq.configure_server}, until there is a worker
    attr_reader :for_servers
    # @return [Hash{String => Object}]
    attr_accessor :job_options

    def initialize
      @configuration = Configuration.new
      @connections = Connections.new
      @for_servers = []
      @hearing = nil
      @job_options = {"retry" => true, "queue" => "default"}.freeze
    end

    # To the jobs of Raffia.
    # @return [void]
    def attach
      setup = Raffia::Jobs::Setup.current
      url = Raffia.config.redis_url and setup.default = url
      setup.client_middleware.add(Around::Enqueue.new(@configuration.client_middleware))
      setup.worker_middleware.add(Around::Perform.new(@configuration))
      setup.at_start << method(:started)
    end

    private

    # A worker begins in this process.
    def started(worker, _log)
      @configuration[:queues] = worker.queues.names
      @for_servers.shift.call(@configuration) until @for_servers.empty?
      @hearing ||= Raffia.instrument.subscribe(:job_fail) { |event|
        never_begun(**event.data) unless event.data[:on]
      }
      @configuration.events.startup
      launch if Sidekiq.const_defined?(:Launcher, false)
    end

    # What other gems have put into it.
    def launch
      return if @launcher

      @launcher = Launcher.new(@configuration)
      @launcher.run
      Raffia::Signals.at_exit do
        @launcher.quiet
        @launcher.stop
      end
    end

    # A job whose class is not there, or that cannot be read, does not come as far as middleware,
    # and has nobody who knows what to do at its end.
    def never_begun(error:, verdict:, **)
      item = Raffia::Jobs::Worker::Run.current.item
      @configuration.handle_exception(error, {context: "Job raised exception", job: item})
      Failures.died(item, error) unless verdict == :retry
    end
  end
end
