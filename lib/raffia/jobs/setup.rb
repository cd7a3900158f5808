# frozen_string_literal: true

require_relative "../base/config"
require_relative "../base/ractor_local"
require_relative "client"
require_relative "middleware"
require_relative "store"

module Raffia
  module Jobs
    # What is set for the jobs of this process.
    class Setup
      KEY = :raffia_jobs
      HERE = :raffia_jobs_client
      private_constant :KEY, :HERE
      # Where nothing is said.
      DEFAULT = "sqlite:raffia.db"

      # @return [Setup] of the running Ractor
      def self.current = RactorLocal.fetch(KEY) { new }

      # @return [Middleware] around each enqueue: call(item) { go on }; what returns nil keeps the
      #   job out
      attr_reader :client_middleware
      # @return [Middleware] around each run: call(job, item) { go on }
      attr_reader :worker_middleware
      # @return [Hash{String => Class}] jobs by names that others have given them on the wire
      attr_reader :aliases
      # @return [Array<#call>] called with each worker and its log, before that begins
      attr_reader :at_start
      # @return [Array<#call>] what begins the actors that live beside the jobs, see {Jobs.actors}
      attr_reader :actors
      # @return [Symbol] where jobs run whose class says nothing, see {Job::Options::PLACES}
      attr_accessor :place
      # @return [String] the store where nothing is said: not even RAFFIA_STORE
      attr_accessor :default
      # @return [Array<Recurring::Entry>] what the program says about jobs that recur
      attr_reader :recurring

      # @return [Array<Proc>, nil] blocks of {Jobs.recurring} that wait until the application is
      #   initialized; nil: they are called at once
      # @api private
      attr_accessor :deferred

      def initialize
        @lock = Monitor.new
        @client_middleware = Middleware.new
        @worker_middleware = Middleware.new
        @at_start = []
        @actors = []
        @place = :fibers
        @default = DEFAULT
        @recurring = []
        @aliases = {}
      end

      # The block's jobs go through another client, and so do those of the fibers and threads that
      # it starts.
      # @param client [Client]
      # @return [Object] the block's value
      def with_client(client)
        before = here
        self.here = client
        yield
      ensure
        self.here = before
      end

      # @return [Client, nil] that of the running fiber alone, see {with_client}
      # @api private
      def here = Fiber[HERE]

      # @api private
      def here=(client)
        Fiber[HERE] = client
      end

      # @return [Store]
      def store
        here&.store || @store ||
          @lock.synchronize { @store ||= Store.open(Raffia.config.store || @default) }
      end

      # @param store [Store, String]
      def store=(store)
        opened = store.is_a?(String) ? Store.open(store) : store
        unless opened.is_a?(Store)
          raise ConfigError, "#{store.inspect} is no store: use one such as #{Store::Address::EXAMPLES}"
        end

        self.given = opened
      end

      # @return [Store, nil] the process's, if one was set or opened by now
      # @api private
      def given = @store

      # @param store [Store, nil] nil: it will be opened when it is needed
      # @api private
      def given=(store)
        @lock.synchronize do
          @store = store
          @client = nil
        end
      end

      # @return [Client]
      def client
        here || @client || @lock.synchronize { @client ||= Client.new(store, @client_middleware) }
      end
    end
    Setup.current # in the main Ractor now, before threads could race for it
  end
end
