# frozen_string_literal: true

require "raffia/integrations/active_job"

module ActiveJob
  module QueueAdapters
    # Active Job on Raffia: `config.active_job.queue_adapter = :raffia`, see guides/rails.md.
    class RaffiaAdapter < (const_defined?(:AbstractAdapter) ? AbstractAdapter : Object)
      # Jobs that are enqueued in a transaction of Active Record's wait for its end, where Active Job asks its adapter about that.
      # @return [Boolean]
      def enqueue_after_transaction_commit? = true

      # @param job [ActiveJob::Base]
      # @return [void]
      # @raise [Raffia::Jobs::StoreUnavailable]
      def enqueue(job) = enqueue_all([job])

      # @param timestamp [Float]
      # @return [void]
      # @raise [Raffia::Jobs::StoreUnavailable]
      def enqueue_at(job, timestamp)
        job.scheduled_at ||= Time.at(timestamp)
        enqueue_all([job])
      end

      # All at once.
      # @param jobs [Array<ActiveJob::Base>]
      # @return [Integer] how many were enqueued; a unique one may be kept out
      # @raise [Raffia::Jobs::StoreUnavailable]
      def enqueue_all(jobs)
        ids = Raffia::Jobs.enqueue(jobs.map { |job| Raffia::Integrations::ActiveJob::Item.of(job) })
        jobs.zip(ids) do |job, id|
          job.provider_job_id = id
          job.successfully_enqueued = !id.nil?
        end
        ids.count(&:itself)
      end

      # @return [Boolean] whether the worker of this very job stops, so that one with steps had better end at its next checkpoint
      def stopping?(_job = nil) = Raffia::Integrations::ActiveJob::Wrapper.stopping?
    end
  end
end
