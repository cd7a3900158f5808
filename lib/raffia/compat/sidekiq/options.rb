# frozen_string_literal: true

require_relative "retry_hooks"

module Sidekiq
  module Job
    # Options of all jobs of a class. Subclasses inherit and may override them.
    module Options
      NO_FIELDS = %w[on].freeze
      # Options for several Redis servers or clients.
      UNSUPPORTED = %w[pool client_class].freeze
      # In Sidekiq each job has a thread, and may rely on it.
      EXECUTION = :threads
      private_constant :NO_FIELDS, :UNSUPPORTED, :EXECUTION

      # Takes fields of payloads, and `on:`, where the job runs: :threads, :fibers, :processes,
      # :ractors or :auto. Returns all options. Raises NotProvided for `pool` and `client_class`.
      def sidekiq_options(options = {})
        options = options.transform_keys(&:to_s)
        unsupported = options.keys & UNSUPPORTED
        if unsupported.any?
          raise NotProvided, "sidekiq_options #{unsupported.join(", ")} of #{self}: all jobs go " \
            "to the one store of the process, by its client"
        end

        if options["retry_queue"]
          Sidekiq.logger.warn("retry_queue of #{self} has no effect: its jobs are tried again in " \
            "their own queue")
        end
        @sidekiq_options = {**get_sidekiq_options, **options}.freeze
      end

      def get_sidekiq_options
        @sidekiq_options || inherited_from_job(:get_sidekiq_options) || Sidekiq.default_job_options
      end
      alias_method :sidekiq_options_hash, :get_sidekiq_options

      # The block gets (count of earlier retries, exception, payload), and returns seconds,
      # :discard, :kill, or nil for the default.
      def sidekiq_retry_in(&block)
        @sidekiq_retry_in = block
      end

      # The block gets (payload, exception). It returns :discard to delete the job instead of
      # keeping it among the dead.
      def sidekiq_retries_exhausted(&block)
        @sidekiq_retries_exhausted = block
      end

      def sidekiq_retry_in_block = @sidekiq_retry_in || inherited_from_job(:sidekiq_retry_in_block)

      def sidekiq_retries_exhausted_block
        @sidekiq_retries_exhausted || inherited_from_job(:sidekiq_retries_exhausted_block)
      end

      # Raffia's interface of a job class: this method and the next three.
      # @api private
      def job_options
        options = get_sidekiq_options
        {**options.except(*NO_FIELDS), "queue" => options["queue"].to_s}
      end

      # @api private
      def job_executor = [get_sidekiq_options.fetch("on", EXECUTION).to_sym, nil]

      # @api private
      def retry_in
        ->(count, error, item) { RetryHooks.retry_in(sidekiq_retry_in_block, count, error, item) }
      end

      # @api private
      def on_exhausted
        ->(item, error) { RetryHooks.exhausted(sidekiq_retries_exhausted_block, item, error) }
      end

      private

      def inherited_from_job(name) = (superclass.public_send(name) if superclass.respond_to?(name))
    end
  end
end
