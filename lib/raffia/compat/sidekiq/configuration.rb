# frozen_string_literal: true

require "forwardable"
require_relative "chain"
require_relative "lifecycle_events"
require_relative "logger"
require_relative "redis_options"

module Sidekiq
  # Settings of {Sidekiq.configure_client} and {Sidekiq.configure_server}. `raffia work` sets
  # concurrency and queues.
  class Configuration
    extend Forwardable

    # Settings without effect, and their replacements.
    IGNORED = {
      concurrency: "raffia work -c N --threads N", queues: "raffia work -q NAME",
      thread_priority: "threads of jobs have Ruby's",
      average_scheduled_poll_interval: "workers do not poll, jobs come when they are due"
    }.freeze
    # Threads of `raffia work` by default.
    CONCURRENCY = 10
    Capsule = Struct.new(:name, :concurrency, :queues)
    private_constant :IGNORED, :CONCURRENCY

    attr_reader :logger
    # Called with (exception, {context:, job:}), and this configuration as a third argument if they
    # take it.
    attr_reader :error_handlers
    # Called with (payload, exception) of a job that died.
    attr_reader :death_handlers
    # @api private
    attr_reader :events

    def_delegators :@options, :[], :[]=, :fetch, :key?, :has_key?, :merge!, :dig

    def initialize
      @error_handlers = []
      @death_handlers = []
      @options = {on_complex_arguments: :raise, concurrency: CONCURRENCY,
                  error_handlers: @error_handlers, death_handlers: @death_handlers}
      @logger = Logger.new($stdout, level: ::Logger::INFO)
      @events = LifecycleEvents.new(self)
      @client_middleware = Middleware::Chain.new(self)
      @server_middleware = Middleware::Chain.new(self)
    end

    # With nil, only fatal errors are logged.
    def logger=(logger)
      logger ? @logger = logger : @logger.level = ::Logger::FATAL
    end

    # Takes `url:`, or host, port, db, username, password, path; timeout, size, ssl, ssl_params.
    # RAFFIA_STORE takes precedence. Raises ArgumentError for an option that would lead to another
    # Redis.
    def redis=(options)
      return if Raffia::Jobs::Config.load.store

      options = RedisOptions.new(options)
      setup = Raffia::Jobs::Setup.current
      setup.default = options.url
      if options.ssl_params
        setup.store = Raffia::Jobs::Store.open(options.url, ssl_params: options.ssl_params)
      end
    end

    # Chain around each enqueue: call(job_class, job, queue, redis_pool) { }.
    def client_middleware
      yield @client_middleware if block_given?
      @client_middleware
    end

    # Chain around each run: call(job_object, job, queue) { }.
    def server_middleware
      yield @server_middleware if block_given?
      @server_middleware
    end

    # :startup (of a worker), :quiet, :shutdown or :exit (of its process). Sidekiq's other events do
    # not occur, and a warning says so; unknown events raise ArgumentError.
    def on(event, &) = @events.on(event, &)

    IGNORED.each_key do |name|
      define_method(:"#{name}=") do |value|
        @options[name] = value
        warn_ignored("config.#{name}=", IGNORED[name])
      end
    end

    def queues = @options[:queues] || %w[default]

    # Programs size their connection pools by it.
    def concurrency = @options[:concurrency]

    # Has no effect; start another worker with `-q` and `-c` instead.
    def capsule(name)
      warn_ignored("config.capsule(#{name.to_s.inspect})",
        "raffia work -q NAME -c N, one for each capsule; or `limit:` of a job")
      Capsule.new(name.to_s, concurrency, []).tap { |capsule| yield capsule if block_given? }
    end

    def default_capsule(&) = capsule("default", &)

    def redis_pool = Sidekiq.redis_pool

    def redis(&) = Sidekiq.redis(&)

    def redis_info = redis(&:info)

    # Calls the error handlers. An error in one is logged, and the others still run.
    def handle_exception(error, context = {})
      @error_handlers.each do |handler|
        two = (handler.is_a?(Proc) ? handler : handler.method(:call)).arity == 2
        handler.call(error, context, *(self unless two))
      rescue => failure
        @logger.error("an error handler failed: #{failure.full_message(highlight: false)}")
      end
    end

    private

    # Warns in workers only, where the setting would matter.
    def warn_ignored(what, instead)
      (@logger.warn("#{what} has no effect here: #{instead}") if Sidekiq.server?)
    end
  end
end
