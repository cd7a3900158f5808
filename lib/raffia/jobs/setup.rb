# frozen_string_literal: true

require_relative "config"
require_relative "../base/ractor_local"
require_relative "client"
require_relative "middleware"
require_relative "store"

module Raffia
  module Jobs
    # Settings of all jobs of this process.
    class Setup
      KEY = :raffia_jobs
      CLIENT = :raffia_jobs_client
      private_constant :KEY, :CLIENT
      # Store by default.
      DEFAULT = "sqlite:raffia.db"

      # @return [Setup] of the running Ractor
      def self.current = RactorLocal.fetch(KEY) { new }

      # @return [Middleware] around each enqueue: call(item) { }; nil from a link rejects the job
      attr_reader :client_middleware
      # @return [Middleware] around each run: call(job, item) { }
      attr_reader :worker_middleware
      # @return [Hash{String => Class}] job classes by other names that payloads may have
      attr_reader :aliases
      # @return [Array<#call>] each makes a job class of a class that is none, or returns nil
      attr_reader :adapters
      # @return [Array<#call>] called with each worker and its log, before it starts
      attr_reader :at_start
      # @return [Array<#call>] see {Jobs.on_error}
      attr_reader :error_handlers
      # @return [Array<#call>] see {Jobs.actors}
      attr_reader :actors
      # @return [Symbol] where jobs run by default, see {Job::Options::EXECUTORS}
      attr_accessor :executor
      # @return [String] store when RAFFIA_STORE is not set either
      attr_accessor :default
      # @return [Array<Recurring::Entry>] of the program's code
      attr_reader :recurring

      # Blocks of {Jobs.recurring} that wait for the application's initialization; nil: they are
      # called at once.
      # @api private
      attr_accessor :deferred

      # @return [Keyring, nil] see {Jobs.keys=}
      attr_reader :keyring

      # @param keys [Hash, Keyring, nil] see {Jobs.keys=}
      # @raise [ConfigError]
      def keys=(keys)
        @keyring = (keys.nil? || keyring?(keys)) ? keys : build_keyring(keys)
      end

      # @return [Client::EnqueueCounts]
      # @api private
      attr_reader :enqueue_counts

      # Array of the store before {Testing.fake!}; nil without such a mode.
      # @api private
      attr_accessor :before_testing

      def initialize
        @lock = Monitor.new
        @enqueue_counts = Client::EnqueueCounts.new
        @client_middleware = Middleware.new
        @worker_middleware = Middleware.new
        @at_start = []
        @error_handlers = []
        @actors = []
        @executor = :fibers
        @default = DEFAULT
        @recurring = []
        @aliases = {}
        @adapters = []
      end

      # Enqueues the block's jobs through another client, including those of fibers and threads that
      # it starts.
      def with_client(client)
        before = fiber_client
        self.fiber_client = client
        yield
      ensure
        self.fiber_client = before
      end

      # The client of the running fiber, see {with_client}.
      # @api private
      def fiber_client = Fiber[CLIENT]

      # @api private
      def fiber_client=(client)
        Fiber[CLIENT] = client
      end

      # @return [Store]
      def store
        fiber_client&.store || @store ||
          @lock.synchronize { @store ||= Store.open(Config.load.store || @default) }
      end

      # @param store [Store, String] or its address
      def store=(store)
        opened = store.is_a?(String) ? Store.open(store) : store
        unless opened.is_a?(Store)
          raise ConfigError, "#{store.inspect} is no store: use one such as " \
            "#{Store::Address::EXAMPLES}"
        end

        self.given = opened
      end

      # The process's store, nil unless it was set or opened before.
      # @api private
      def given = @store

      # Nil: it is opened on use.
      # @api private
      def given=(store)
        @lock.synchronize do
          @store = store
          @client = nil
        end
      end

      # @return [Client]
      def client
        fiber_client || @client ||
          @lock.synchronize { @client ||= Client.new(store, @client_middleware) }
      end

      private

      # A Ractor gets a whole one, because it can require nothing.
      def keyring?(keys) = defined?(Keyring) && keys.is_a?(Keyring)

      def build_keyring(keys)
        require_relative "keyring"
        Keyring.new(keys)
      end
    end
    Setup.current # in the main Ractor now, before threads could race for it
  end
end
