# frozen_string_literal: true

require_relative "options"
require_relative "setter"

module Sidekiq
  # Makes a class with a method `perform` a job.
  module Job
    def self.included(job)
      if job.ancestors.any? { |one| one.name == "ActiveJob::Base" }
        raise ArgumentError, "Sidekiq::Job cannot be included in #{job}: it is an Active Job"
      end

      job.extend(Options, ClassMethods)
    end

    attr_accessor :jid

    def logger = Sidekiq.logger

    # The worker's run, nil outside of a worker.
    attr_accessor :_context
    alias_method :run=, :_context=

    # Whether this run is to end soon.
    def interrupted? = !!_context&.stopping?

    module ClassMethods
      # Returns the job's id, nil when a middleware rejects it. Raises ArgumentError for arguments
      # that JSON would change, and Raffia::Jobs::StoreUnavailable.
      def perform_async(*args) = set.perform_async(*args)

      # +interval+ is in seconds from now, or since 1970.
      def perform_in(interval, *args) = set.perform_in(interval, *args)
      alias_method :perform_at, :perform_in

      # +options+ are at, spread_interval and batch_size.
      def perform_bulk(args, **options) = set.perform_bulk(args, **options)

      # Runs the job here, with client and server middleware. Its errors are raised, and error
      # handlers are not called. Returns nil when a middleware rejects it.
      def perform_inline(*args) = set.perform_inline(*args)
      alias_method :perform_sync, :perform_inline

      # Options of one call: queue, retry, tags, wait, wait_until, sync and others.
      def set(options = {}) = Setter.new(self, options)

      def queue_as(queue) = sidekiq_options(queue: queue.to_s)

      # Calls {Client.push}; raises ArgumentError for Symbols as keys.
      def client_push(item)
        if item.any? { |name, _| name.is_a?(Symbol) }
          raise ArgumentError, "names in a job must be Strings, and not Symbols: #{item}"
        end

        Client.push(item)
      end
    end
  end

  Worker = Job
end
