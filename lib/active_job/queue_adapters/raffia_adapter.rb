# frozen_string_literal: true

require "raffia/integrations/active_job"

# Rails' own.
module ActiveJob
  # Rails' own.
  module QueueAdapters
    # Active Job on Raffia: `config.active_job.queue_adapter = :raffia`, see guides/rails_jobs.md.
    class RaffiaAdapter < (const_defined?(:AbstractAdapter) ? AbstractAdapter : Object)
      # @return [#call, nil] returns a connection with an open transaction of the store's database,
      #   or nil. Jobs are stored in that transaction, see {Raffia::Jobs.transaction}
      attr_accessor :transaction

      # Active Job 7.2 asks whether jobs of a transaction wait for its end.
      # @return [Boolean]
      def enqueue_after_transaction_commit? = transaction.nil?

      # @param job [ActiveJob::Base]
      # @return [void]
      # @raise [Raffia::Jobs::StoreUnavailable]
      # @raise [EnqueueError] for a rejected unique job: then `perform_later` returns false
      def enqueue(job)
        wrapper = Raffia::Integrations::ActiveJob::Wrapper
        return if wrapper.current&.continuation&.postpone?(job)

        if enqueue_all([job]).zero?
          raise EnqueueError, "#{job.class.name} was not enqueued: one like it is there already, " \
            "or a middleware keeps it out"
        end
      end

      # @param timestamp [Float]
      # @return [void]
      # @raise [Raffia::Jobs::StoreUnavailable]
      # @raise [EnqueueError]
      def enqueue_at(job, timestamp)
        job.scheduled_at ||= Time.at(timestamp)
        enqueue(job)
      end

      # Enqueues several jobs in one call.
      # @param jobs [Array<ActiveJob::Base>]
      # @return [Integer] number of enqueued jobs; unique ones may be rejected
      # @raise [Raffia::Jobs::StoreUnavailable]
      def enqueue_all(jobs)
        ids = store(jobs.map { |job| Raffia::Integrations::ActiveJob::Payload.of(job) })
        jobs.zip(ids) do |job, id|
          job.provider_job_id = id
          job.successfully_enqueued = !id.nil?
        end
        ids.count(&:itself)
      end

      # Saves the progress of a running job with steps: Rails asks at each of its checkpoints.
      # @return [Boolean] whether the worker of the running job stops, so that a job with steps ends
      #   at its next checkpoint
      def stopping?(_job = nil) = Raffia::Integrations::ActiveJob::Wrapper.stopping?

      private

      def store(items)
        connection = transaction&.call or return Raffia::Jobs.enqueue(items)
        Raffia::Jobs.transaction(connection) { Raffia::Jobs.enqueue(items) }
      end
    end
  end
end
