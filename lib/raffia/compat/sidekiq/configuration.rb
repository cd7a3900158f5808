# frozen_string_literal: true

require "logger"
require "uri"
require_relative "../../base/signals"
require_relative "../../jobs"
require_relative "chain"

module Sidekiq
  # What {Sidekiq.configure_client} and {Sidekiq.configure_server} set. How many jobs run at a time, and of which queues, is said to `raffia work`.
  class Configuration
    # Keys of `redis=` that are parts of the address, or stand behind its `?`.
    ADDRESS = %i[url host port db username password].freeze
    PARAMETERS = {timeout: "timeout", network_timeout: "timeout", size: "pool"}.freeze
    private_constant :ADDRESS, :PARAMETERS

    # @return [Logger]
    attr_accessor :logger
    # @return [Array<#call>] called with each exception of a job, and {context:, job:}
    attr_reader :error_handlers
    # @return [Array<#call>] called with the payload of a job that has failed for good, and the exception
    attr_reader :death_handlers
    # @return [Hash{Symbol => Array<#call>}]
    # @api private
    attr_reader :events

    def initialize
      @options = {on_complex_arguments: :raise}
      @logger = Logger.new($stdout, level: Logger::INFO)
      @error_handlers = []
      @death_handlers = []
      @events = {startup: [], shutdown: []}
      @client_middleware = Chain.new(self)
      @server_middleware = Chain.new(self)
    end

    # @param options [Hash] `url:`, or host, port, db, username, password; timeout, size, ssl_params. RAFFIA_STORE counts more
    # @raise [ArgumentError] for what there is not
    def redis=(options)
      options = options.transform_keys(&:to_sym)
      odd = options.keys - ADDRESS - PARAMETERS.keys - %i[ssl_params]
      raise ArgumentError, "config.redis: #{odd.join(", ")} mean nothing here: there are #{[*ADDRESS, *PARAMETERS.keys, :ssl_params].join(", ")}" if odd.any?

      url = address(options)
      setup = Raffia::Jobs::Setup.current
      setup.default = url
      return if options[:ssl_params].nil? || Raffia.config.store

      setup.store = Raffia::Jobs::Store.open(url, ssl_params: options[:ssl_params])
    end

    # @yieldparam chain [Chain] around each enqueue: call(job_class, job, queue, redis_pool) { }, where redis_pool is nil
    # @return [Chain]
    def client_middleware
      yield @client_middleware if block_given?
      @client_middleware
    end

    # @yieldparam chain [Chain] around each run: call(job_object, job, queue) { }
    # @return [Chain]
    def server_middleware
      yield @server_middleware if block_given?
      @server_middleware
    end

    # @param event [Symbol] :startup (a worker begins) or :shutdown (its process ends); others do not happen here, which the log says
    # @return [void]
    def on(event, &block)
      return @events[event] << block if @events.key?(event)

      @logger.warn("config.on(#{event.inspect}) is never called: there are the events #{@events.keys.join(", ")} here")
    end

    # @return [Object] what {[]=} has kept
    def [](name) = @options[name]

    # Kept for the program; of Sidekiq's own settings only `on_complex_arguments` has a meaning here.
    def []=(name, value)
      @options[name] = value
    end

    # @api private
    def at_shutdown
      blocks = @events[:shutdown].slice!(0..)
      Raffia::Signals.at_exit { blocks.each(&:call) } if blocks.any?
    end

    private

    def address(options)
      uri = URI(options[:url] || "redis://localhost")
      uri.host = options[:host] if options[:host]
      uri.port = options[:port] if options[:port]
      uri.userinfo = options.values_at(:username, :password).map { |part| URI.encode_uri_component(part.to_s) }.join(":") if options[:password]
      uri.path = "/#{options[:db]}" if options[:db]
      uri.query = [uri.query, *parameters(options)].compact.join("&").then { |query| query unless query.empty? }
      uri.to_s
    end

    def parameters(options) = PARAMETERS.filter_map { |name, parameter| "#{parameter}=#{options[name]}" if options[name] }
  end
end
