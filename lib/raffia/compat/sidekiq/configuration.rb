# frozen_string_literal: true

require "forwardable"
require_relative "../../jobs"
require_relative "chain"
require_relative "events"
require_relative "logger"
require_relative "redis_options"

module Sidekiq
  # What {Sidekiq.configure_client} and {Sidekiq.configure_server} set. How many jobs run at a time,
  # and of which queues, is said to `raffia work`.
  class Configuration
    extend Forwardable

    # Settings without an effect, and where what they are for is said.
    UNHEEDED = {
      concurrency: "raffia work -c N --threads N", queues: "raffia work -q NAME",
      thread_priority: "threads of jobs have Ruby's",
      average_scheduled_poll_interval: "nobody polls, jobs come when they are due"
    }.freeze
    # How many jobs run at a time on threads, as `raffia work` has it.
    CONCURRENCY = 10
    # What {capsule} yields.
    Capsule = Struct.new(:name, :concurrency, :queues)
    private_constant :UNHEEDED, :CONCURRENCY

    # @return [Logger]
    attr_reader :logger
    # @return [Array<#call>] called with each exception of a job, {context:, job:}, and this; an
    #   object that takes two arguments gets two
    attr_reader :error_handlers
    # @return [Array<#call>] called with the payload of a job that has failed for good, and the
    #   exception
    attr_reader :death_handlers
    # @return [Events]
    # @api private
    attr_reader :events

    def_delegators :@options, :[], :[]=, :fetch, :key?, :has_key?, :merge!, :dig

    def initialize
      @error_handlers = []
      @death_handlers = []
      @options = {on_complex_arguments: :raise, concurrency: CONCURRENCY,
                  error_handlers: @error_handlers, death_handlers: @death_handlers}
      @logger = Logger.new($stdout, level: ::Logger::INFO)
      @events = Events.new(self)
      @client_middleware = Middleware::Chain.new(self)
      @server_middleware = Middleware::Chain.new(self)
    end

    # @param logger [Logger, nil] nil: only what is fatal is logged
    def logger=(logger)
      logger ? @logger = logger : @logger.level = ::Logger::FATAL
    end

    # @param options [Hash] `url:`, or host, port, db, username, password, path; timeout, size, ssl,
    #   ssl_params. RAFFIA_STORE counts more: where that is set, nothing here does
    # @raise [ArgumentError] for what would lead to another Redis, and there is not
    def redis=(options)
      return if Raffia.config.store

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

    # @param event [Symbol] :startup (a worker begins), :quiet, :shutdown or :exit (its process
    #   ends); others do not happen here, which the log says
    # @return [void]
    # @raise [ArgumentError] for what Sidekiq does not know either
    def on(event, &) = @events.on(event, &)

    UNHEEDED.each_key do |name|
      define_method(:"#{name}=") do |value|
        @options[name] = value
        unheeded("config.#{name}=", UNHEEDED[name])
      end
    end

    # @return [Array<String>] those of this process's worker
    def queues = @options[:queues] || %w[default]

    # @return [Integer] for programs that make as many connections
    def concurrency = @options[:concurrency]

    # Has no effect: a worker of its own with `-q` and `-c` has.
    # @yieldparam capsule [Capsule]
    # @return [Capsule]
    def capsule(name)
      unheeded("config.capsule(#{name.to_s.inspect})",
        "raffia work -q NAME -c N, one for each capsule; or `limit:` of a job")
      Capsule.new(name.to_s, concurrency, []).tap { |capsule| yield capsule if block_given? }
    end

    # (see capsule)
    def default_capsule(&) = capsule("default", &)

    # @return [Object] see {Sidekiq.redis_pool}
    def redis_pool = Sidekiq.redis_pool

    # (see Sidekiq.redis)
    def redis(&) = Sidekiq.redis(&)

    # @return [Hash{String => String}] what the server says of itself
    def redis_info = redis(&:info)

    # Tells the handlers of errors; what one of them raises is logged, and kept away from the
    # others.
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

    # Only workers would heed it.
    def unheeded(what, instead)
      (@logger.warn("#{what} has no effect here: #{instead}") if Sidekiq.server?)
    end
  end
end
