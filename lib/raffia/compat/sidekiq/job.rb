# frozen_string_literal: true

require_relative "options"
require_relative "setter"

module Sidekiq
  # Makes a class a job: it has a method `perform`.
  module Job
    def self.included(job)
      job.extend(Options, ClassMethods)
    end

    # @return [String] of this run's job
    attr_accessor :jid

    # @return [Logger]
    def logger = Sidekiq.logger

    # @return [Boolean] whether this run is to end soon
    def interrupted? = !!@raffia_run&.stopping?

    # @param run [Raffia::Jobs::Worker::Run]
    # @api private
    def run=(run)
      @raffia_run = run
    end

    # Ways to enqueue it.
    module ClassMethods
      # @return [String, nil] its id; nil when a middleware keeps it out
      # @raise [ArgumentError] for arguments that JSON would not give back
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

      # Here and now, with the middleware of both sides.
      # @return [true, nil] nil when a middleware keeps it out
      def perform_inline(*args) = set.perform_inline(*args)
      alias_method :perform_sync, :perform_inline

      # @param options [Hash] of this call: queue, retry, tags, wait, wait_until, sync, ...
      # @return [Setter]
      def set(options = {}) = Setter.new(self, options)

      # @param queue [String, Symbol]
      # @return [void]
      def queue_as(queue) = sidekiq_options(queue: queue.to_s)

      # @param item [Hash] as {Client.push} takes it
      # @return [String, nil]
      def client_push(item) = Client.push(item)
    end
  end

  # The older name.
  Worker = Job
end
