# frozen_string_literal: true

require "forwardable"
require_relative "../../jobs"
require_relative "chain"
require_relative "lifecycle_events"
require_relative "logger"
require_relative "redis_options"

module Sidekiq
  # Settings of {Sidekiq.configure_client} and {Sidekiq.configure_server}. Concurrency and queues
  # are settings of `raffia work`.
  class Configuration
    extend Forwardable

    # Settings without effect, and what to use instead.
    IGNORED = {
      concurrency: "raffia work -c N --threads N", queues: "raffia work -q NAME",
      thread_priority: "threads of jobs have Ruby's",
      average_scheduled_poll_interval: "nobody polls, jobs come when they are due"
    }.freeze
    # Jobs on threads at a time, as in `raffia work`.
    CONCURRENCY = 10
    # Yielded by {capsule}.
    Capsule = Struct.new(:name, :concurrency, :queues)
    private_constant :IGNORED, :CONCURRENCY

    # @return [Logger]
    attr_reader :logger
    # @return [Array<#call>] called with each exception of a job, {context:, job:}, and this
    #   configuration if they take three arguments
    attr_reader :error_handlers
    # @return [Array<#call>] called with the payload of a job that died, and the exception
    attr_reader :death_handlers
    # @return [LifecycleEvents]
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

    # @param logger [Logger, nil] nil: only fatal errors are logged
    def logger=(logger)
      logger ? @logger = logger : @logger.level = ::Logger::FATAL
    end

    # @param options [Hash] `url:`, or host, port, db, username, password, path; timeout, size, ssl,
    #   ssl_params. RAFFIA_STORE takes precedence
    # @raise [ArgumentError] for an option that would lead to another Redis
    def redis=(options)
      return if Raffia::Jobs::Config.load.store

      options = RedisOptions.new(options)
      setup = Raffia::Jobs::Setup.current
      setup.default = options.url
      if options.ssl_params
        setup.store = Raffia::Jobs::Store.open(options.url, ssl_params: options.ssl_params)
      end
    end

    # @yieldparam chain [Middleware::Chain] around each enqueue: call(job_class, job, queue,
    #   redis_pool) { }, see {Sidekiq.redis_pool}
    # @return [Middleware::Chain]
    def client_middleware
      yield @client_middleware if block_given?
      @client_middleware
    end

    # @yieldparam chain [Middleware::Chain] around each run: call(job_object, job, queue) { }
    # @return [Middleware::Chain]
    def server_middleware
      yield @server_middleware if block_given?
      @server_middleware
    end

    # @param event [Symbol] :startup (of a worker), :quiet, :shutdown or :exit (of its process);
    #   others do not occur here, and a warning says so
    # @return [void]
    # @raise [ArgumentError] for an event that Sidekiq does not have
    def on(event, &) = @events.on(event, &)

    IGNORED.each_key do |name|
      define_method(:"#{name}=") do |value|
        @options[name] = value
        warn_ignored("config.#{name}=", IGNORED[name])
      end
    end

    # @return [Array<String>] of this process's worker
    def queues = @options[:queues] || %w[default]

    # @return [Integer] for programs that size their connection pools by it
    def concurrency = @options[:concurrency]

    # Has no effect; start another worker with `-q` and `-c` instead.
    # @yieldparam capsule [Capsule]
    # @return [Capsule]
    def capsule(name)
      warn_ignored("config.capsule(#{name.to_s.inspect})",
        "raffia work -q NAME -c N, one for each capsule; or `limit:` of a job")
      Capsule.new(name.to_s, concurrency, []).tap { |capsule| yield capsule if block_given? }
    end

    # (see capsule)
    def default_capsule(&) = capsule("default", &)

    # @return [Object] see {Sidekiq.redis_pool}
    def redis_pool = Sidekiq.redis_pool

    # (see Sidekiq.redis)
    def redis(&) = Sidekiq.redis(&)

    # @return [Hash{String => String}] the server's INFO
    def redis_info = redis(&:info)

    # Calls the error handlers. An error of one is logged, and does not affect the others.
    # @return [void]
    def handle_exception(error, context = {})
      @error_handlers.each do |handler|
        two = (handler.is_a?(Proc) ? handler : handler.method(:call)).arity == 2
        handler.call(error, context, *(self unless two))
      rescue => failure
        @logger.error("an error handler failed: #{failure.full_message(highlight: false)}")
      end
    end

    private

    # Warns in workers, which the setting is for.
    def warn_ignored(what, instead)
      (@logger.warn("#{what} has no effect here: #{instead}") if Sidekiq.server?)
    end
  end
end
