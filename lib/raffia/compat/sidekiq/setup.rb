# frozen_string_literal: true

require_relative "../../base/config"
require_relative "../../jobs"
require_relative "chain"
require_relative "configuration"

module Sidekiq
  # What this process has one of. In one object, as a module should have no state of its own.
  #
  # @api private
  class Setup
    # @return [Configuration]
    attr_reader :configuration
    # @return [Array<#call>] of {Sidekiq.configure_server}, until there is a worker
    attr_reader :for_servers
    # @return [Hash{String => Object}]
    attr_accessor :job_options

    def initialize
      @configuration = Configuration.new
      @for_servers = []
      @job_options = {"retry" => true, "queue" => "default"}.freeze
    end

    # To the jobs of Raffia.
    # @return [void]
    def attach
      setup = Raffia::Jobs::Setup.current
      url = Raffia.config.redis_url and setup.default = url
      setup.client_middleware.add(Chain::AroundEnqueue.new(@configuration.client_middleware))
      setup.worker_middleware.add(Chain::AroundPerform.new(@configuration))
      setup.at_start << method(:started)
    end

    private

    # A worker begins in this process.
    def started(_worker, _log)
      @for_servers.shift.call(@configuration) until @for_servers.empty?
      @configuration.events[:startup].each(&:call)
      @configuration.at_shutdown
    end
  end
end
