# frozen_string_literal: true

require_relative "error"

module Raffia
  module Jobs
    module Durable
      # Given to the block of a step.
      class StepContext
        # @return [String] the same in each attempt: an idempotency key for other services
        attr_reader :key

        # Jobs that are enqueued with the step's record.
        # @api private
        attr_reader :drafts

        # @api private
        def initialize(key, client, drafts)
          @key = key
          @client = client
          @drafts = drafts
        end

        # Enqueues a job with the step's record: once for each recorded step, and not at all when
        # the step fails. In {Durable#transaction} it is an outbox: the job is written in the
        # application's transaction first.
        # @param job [Class] that includes {Raffia::Job}
        # @param options [Hash] as {Job::Enqueue#set} takes them
        # @return [String, nil] its id; nil when a middleware rejects it
        # @raise [BadArguments] for arguments that JSON would change
        # @raise [ConfigError] for another class
        def enqueue(job, *args, **options)
          unless job.is_a?(Class) && job.include?(Job)
            raise ConfigError, "#{job} is no class that includes Raffia::Job"
          end

          draft = @client.draft(job.set(**options).item(args)) or return
          @drafts << draft
          draft.jid
        end
      end
    end
  end
end
