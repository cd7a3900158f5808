# frozen_string_literal: true

require_relative "retry_hooks"
require_relative "missing"

module Sidekiq
  module Job
    # Options of all jobs of a class. Subclasses inherit them, and may override them.
    module Options
      # Options that are no fields of a payload.
      OURS = %w[on].freeze
      # Options for several Redis servers or clients, which are not supported.
      NOT_THERE = %w[pool client_class].freeze
      # Where jobs run by default: in Sidekiq each has a thread, and may rely on it.
      PLACE = :threads
      private_constant :OURS, :NOT_THERE, :PLACE

      # @param options [Hash] fields of payloads, and `on:`, where the job runs: :threads, :fibers,
      #   :processes, :ractors or :auto
      # @return [Hash{String => Object}] all options that are set
      # @raise [NotProvided] for `pool` and `client_class`
      def sidekiq_options(options = {})
        options = options.transform_keys(&:to_s)
        odd = options.keys & NOT_THERE
        if odd.any?
          raise NotProvided, "sidekiq_options #{odd.join(", ")} of #{self}: all jobs go to the " \
            "one store of the process, by its client"
        end

        if options["retry_queue"]
          Sidekiq.logger.warn("retry_queue of #{self} has no effect: its jobs are tried again in " \
            "their own queue")
        end
        @sidekiq_options = {**get_sidekiq_options, **options}.freeze
      end

      # @return [Hash{String => Object}]
      def get_sidekiq_options
        @sidekiq_options || inherited_from_job(:get_sidekiq_options) || Sidekiq.default_job_options
      end
      alias_method :sidekiq_options_hash, :get_sidekiq_options

      # @yieldparam count [Integer] of retries before
      # @yieldparam error [Exception]
      # @yieldparam job [Hash] the payload
      # @yieldreturn [Numeric, Symbol, nil] seconds, :discard, :kill; nil: default
      # @return [void]
      def sidekiq_retry_in(&block)
        @sidekiq_retry_in = block
      end

      # @yieldparam job [Hash] the payload of a job whose retries are exhausted
      # @yieldparam error [Exception]
      # @yieldreturn [Symbol, Object] :discard deletes it instead of keeping it among the dead
      # @return [void]
      def sidekiq_retries_exhausted(&block)
        @sidekiq_retries_exhausted = block
      end

      # @return [Proc, nil]
      def sidekiq_retry_in_block = @sidekiq_retry_in || inherited_from_job(:sidekiq_retry_in_block)

      # @return [Proc, nil]
      def sidekiq_retries_exhausted_block
        @sidekiq_retries_exhausted || inherited_from_job(:sidekiq_retries_exhausted_block)
      end

      # Raffia's interface of a job class.

      # @return [Hash{String => Object}]
      # @api private
      def job_options
        get_sidekiq_options.except(*OURS).tap { |options| options["queue"] = options["queue"].to_s }
      end

      # @return [Array(Symbol, nil)]
      # @api private
      def job_place = [get_sidekiq_options.fetch("on", PLACE).to_sym, nil]

      # @return [Proc]
      # @api private
      def retry_in
        ->(count, error, item) { RetryHooks.wish(sidekiq_retry_in_block, count, error, item) }
      end

      # @return [Proc]
      # @api private
      def on_exhausted
        ->(item, error) { RetryHooks.exhausted(sidekiq_retries_exhausted_block, item, error) }
      end

      private

      def inherited_from_job(name) = (superclass.public_send(name) if superclass.respond_to?(name))
    end
  end
end
