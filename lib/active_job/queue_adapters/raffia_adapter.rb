# frozen_string_literal: true

require "raffia/integrations/active_job"

# Rails' own.
module ActiveJob
  # Rails' own.
  module QueueAdapters
    # Active Job on Raffia: `config.active_job.queue_adapter = :raffia`, see guides/rails_jobs.md.
    class RaffiaAdapter < (const_defined?(:AbstractAdapter) ? AbstractAdapter : Object)
      # @return [#call, nil] gives the connection to a database whose transaction has begun, if
      #   there is one, for jobs to be written in it: it must be the database that the jobs are kept
      #   in, see {Raffia::Jobs.transaction}
      attr_accessor :transaction

      # Active Job 7.2 asks its adapter whether jobs of a transaction wait for its end.
      # @return [Boolean]
      def enqueue_after_transaction_commit? = transaction.nil?

      # @param job [ActiveJob::Base]
      # @return [void]
      # @raise [Raffia::Jobs::StoreUnavailable]
      # @raise [EnqueueError] for a unique one that is there already; Active Job makes
      #   `perform_later` return false of it
      def enqueue(job)
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

      # All at once.
      # @param jobs [Array<ActiveJob::Base>]
      # @return [Integer] how many were enqueued; a unique one may be kept out
      # @raise [Raffia::Jobs::StoreUnavailable]
      def enqueue_all(jobs)
        ids = store(jobs.map { |job| Raffia::Integrations::ActiveJob::Payload.of(job) })
        jobs.zip(ids) do |job, id|
          job.provider_job_id = id
          job.successfully_enqueued = !id.nil?
        end
        ids.count(&:itself)
      end

      # @return [Boolean] whether the worker of this very job stops, so that one with steps had
      #   better end at its next checkpoint
      def stopping?(_job = nil) = Raffia::Integrations::ActiveJob::Wrapper.stopping?

      private

      def store(items)
        connection = transaction&.call or return Raffia::Jobs.enqueue(items)
        Raffia::Jobs.transaction(connection) { Raffia::Jobs.enqueue(items) }
      end
    end
  end
end
