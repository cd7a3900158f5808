# frozen_string_literal: true

require_relative "options"
require_relative "setter"

module Sidekiq
  # Makes a class with a method `perform` a job.
  module Job
    # @raise [ArgumentError] for an Active Job
    def self.included(job)
      if job.ancestors.any? { |one| one.name == "ActiveJob::Base" }
        raise ArgumentError, "Sidekiq::Job cannot be included in #{job}: it is an Active Job"
      end

      job.extend(Options, ClassMethods)
    end

    # @return [String] of this run's job
    attr_accessor :jid

    # @return [Logger]
    def logger = Sidekiq.logger

    # @return [#stopping?, nil] nil outside of a worker
    attr_accessor :_context
    alias_method :run=, :_context=

    # @return [Boolean] whether this run is to end soon
    def interrupted? = !!_context&.stopping?

    # Class methods that enqueue a job.
    module ClassMethods
      # @return [String, nil] its id; nil when a middleware rejects it
      # @raise [ArgumentError] for arguments that JSON would change
      # @raise [Raffia::Jobs::StoreUnavailable]
      def perform_async(*args) = set.perform_async(*args)

      # @param interval [Numeric, Time] seconds from now, or since 1970
      # @return [String, nil]
      def perform_in(interval, *args) = set.perform_in(interval, *args)
      alias_method :perform_at, :perform_in

      # @param args [Array<Array>]
      # @param options [Hash] at, spread_interval, batch_size
      # @return [Array<String, nil>]
      def perform_bulk(args, **options) = set.perform_bulk(args, **options)

      # Runs it here, with the middleware of both sides. Its errors are raised, and error handlers
      # are not called.
      # @return [true, nil] nil when a middleware rejects it
      def perform_inline(*args) = set.perform_inline(*args)
      alias_method :perform_sync, :perform_inline

      # @param options [Hash] of this call: queue, retry, tags, wait, wait_until, sync, ...
      # @return [Setter]
      def set(options = {}) = Setter.new(self, options)

      # @param queue [String, Symbol]
      # @return [void]
      def queue_as(queue) = sidekiq_options(queue: queue.to_s)

      # @param item [Hash] see {Client.push}
      # @return [String, nil]
      # @raise [ArgumentError] for Symbols as keys
      def client_push(item)
        if item.any? { |name, _| name.is_a?(Symbol) }
          raise ArgumentError, "names in a job must be Strings, and not Symbols: #{item}"
        end

        Client.push(item)
      end
    end
  end

  # The older name.
  Worker = Job
end
