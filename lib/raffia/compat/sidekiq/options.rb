# frozen_string_literal: true

require_relative "retry_hooks"
require_relative "missing"

module Sidekiq
  module Job
    # What is said once about all jobs of a class. Subclasses have it too, and may say otherwise.
    module Options
      # Not for the payload: where jobs run.
      OURS = %w[on].freeze
      # Other Redis, and other clients, than those of the process.
      NOT_THERE = %w[pool client_class].freeze
      # Where jobs run that say nothing: Sidekiq's have a thread each, and may count on that.
      PLACE = :threads
      private_constant :OURS, :NOT_THERE, :PLACE

      # @param options [Hash] all of them get into payloads, but for `on:`, which is where the job
      #   runs: :threads, :fibers, :processes, :ractors or :auto
      # @return [Hash{String => Object}] all that is set
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

      # @yieldparam count [Integer] how often it was tried again before
      # @yieldparam error [Exception]
      # @yieldparam job [Hash] the payload
      # @yieldreturn [Numeric, Symbol, nil] seconds, :discard, :kill; nil: as usual
      # @return [void]
      def sidekiq_retry_in(&block)
        @sidekiq_retry_in = block
      end

      # @yieldparam job [Hash] the payload of a job that has failed for good, though it was to be
      #   retried
      # @yieldparam error [Exception]
      # @yieldreturn [Symbol, Object] :discard keeps it from the dead ones
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

      # What follows is how Raffia asks a job class.

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
