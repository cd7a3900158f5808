# frozen_string_literal: true

module Sidekiq
  module Job
    # What is said once about all jobs of a class. Subclasses have it too, and may say otherwise.
    module Options
      # Not for the payload: where jobs run, and what has no meaning here.
      OURS = %w[on pool client_class].freeze
      # Where jobs run that say nothing: Sidekiq's have a thread each, and may count on that.
      PLACE = :threads
      private_constant :OURS, :PLACE

      # @param options [Hash] all of them get into payloads, but for `on:`, which is where the job runs: :threads, :fibers, :processes, :ractors or :auto
      # @return [Hash{String => Object}] all that is set
      def sidekiq_options(options = {})
        @sidekiq_options = {**get_sidekiq_options, **options.transform_keys(&:to_s)}.freeze
      end

      # @return [Hash{String => Object}]
      def get_sidekiq_options = @sidekiq_options || inherited_from_job(:get_sidekiq_options) || Sidekiq.default_job_options
      alias_method :sidekiq_options_hash, :get_sidekiq_options

      # @yieldparam count [Integer] how often it was tried again before
      # @yieldparam error [Exception]
      # @yieldparam job [Hash] the payload
      # @yieldreturn [Numeric, Symbol, nil] seconds, :discard, :kill; nil: as usual
      # @return [void]
      def sidekiq_retry_in(&block)
        @sidekiq_retry_in = block
      end

      # @yieldparam job [Hash] the payload of a job that has failed for good
      # @yieldparam error [Exception]
      # @return [void]
      def sidekiq_retries_exhausted(&block)
        @sidekiq_retries_exhausted = block
      end

      # @return [Proc, nil]
      def sidekiq_retry_in_block = @sidekiq_retry_in || inherited_from_job(:sidekiq_retry_in_block)

      # @return [Proc, nil]
      def sidekiq_retries_exhausted_block = @sidekiq_retries_exhausted || inherited_from_job(:sidekiq_retries_exhausted_block)

      # What follows is how Raffia asks a job class.

      # @return [Hash{String => Object}]
      # @api private
      def job_options = get_sidekiq_options.except(*OURS).tap { |options| options["queue"] = options["queue"].to_s }

      # @return [Array(Symbol, nil)]
      # @api private
      def job_place = [get_sidekiq_options.fetch("on", PLACE).to_sym, nil]

      # @return [Proc, nil]
      # @api private
      def retry_in
        block = sidekiq_retry_in_block or return
        lambda do |count, error|
          wish = block.call(count, error, Raffia::Jobs::Worker::Run.current&.item)
          wish if wish.is_a?(Symbol) || (wish.is_a?(Numeric) && wish.positive?)
        end
      end

      # @return [Proc]
      # @api private
      def on_exhausted
        lambda do |item, error|
          sidekiq_retries_exhausted_block&.call(item, error)
          Sidekiq.default_configuration.death_handlers.each { |handler| handler.call(item, error) }
        end
      end

      private

      def inherited_from_job(name) = (superclass.public_send(name) if superclass.respond_to?(name))
    end
  end
end
