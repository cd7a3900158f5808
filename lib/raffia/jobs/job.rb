# frozen_string_literal: true

require_relative "job/options"

module Raffia
  module Jobs
    # Makes a class with a method `perform` a job, which the methods of {Job::Enqueue} enqueue.
    #
    #     class ThumbnailJob
    #       include Raffia::Job
    #       options queue: "images", retry: 5, on: :processes
    #
    #       def perform(id, width) = ...
    #     end
    #
    #     ThumbnailJob.perform_in(60, 7, 120)
    module Job
      def self.included(job)
        job.extend(Options, Enqueue)
      end

      # @return [String]
      attr_accessor :jid
      # @return [Worker::Run, nil] nil outside of a worker
      attr_accessor :run

      # @return [Boolean] whether this run is to end soon: its worker stops, or the job was
      #   cancelled. Long jobs ask now and then
      def stopping? = !run.nil? && run.stopping?

      # @return [Jobs::Batch, nil] of this job: `batch.jobs { ... }` adds to it
      def batch = batch_of("batch")

      # @return [Jobs::Batch, nil] whose callback this job is, see {Jobs::Batch#on}
      def calling_batch = batch_of("callback", "batch")

      # Keeps a result for later steps of the job's workflow. It counts when the job is done; the
      # last one counts.
      # @param value [Object] of JSON's types, at most 256 KiB as JSON
      # @return [Object] the value
      # @raise [Jobs::BadResult]
      def return_value(value)
        json = Jobs::Workflow::Result.dump(value, self, run&.item)
        run.result = json if run.respond_to?(:result=)
        value
      end

      # @return [Jobs::Workflow::Handle, nil] of the workflow whose step this job is
      def workflow
        id = run&.item&.dig(Jobs::Payload::OWN, "workflow", "id")
        Jobs::Workflow::Handle.new(id, run.store || Jobs::Setup.current.store) if id
      end

      # A key for other services, which then do nothing twice: the same in each attempt of this job,
      # also after its worker died, and when it was requeued. A step that {Workflow::Handle#retry}
      # runs again has another one.
      # @return [String, nil]
      def idempotency_key = (key = undoes) ? "undo-#{key}" : jid

      # @return [String, nil] key of the step that this job undoes; nil: it is no undo
      def undoes = run&.item&.dig(Jobs::Payload::OWN, "workflow", "undoes")

      private def batch_of(*path)
        id = run&.item&.dig(Jobs::Payload::OWN, *path)
        Jobs::Batch.attach(id, run.store || Jobs::Setup.current.store) if id
      end

      # Class methods that enqueue a job.
      module Enqueue
        # @param args [Array] of `perform`
        # @return [String, nil] its id; nil when a middleware or a unique job rejects it
        # @raise [Jobs::BadArguments] for arguments that JSON would change
        # @raise [Jobs::StoreUnavailable] when it could not be stored
        def perform_async(*args) = set.perform_async(*args)

        # @param seconds [Numeric] from now
        # @return [String, nil] its id
        # @raise [ConfigError] for something else, such as a String
        def perform_in(seconds, *args) = set.perform_in(seconds, *args)

        # @param time [Time, Numeric] or seconds since 1970
        # @return [String, nil] its id
        # @raise [ConfigError] for something else, such as a String
        def perform_at(time, *args) = set.perform_at(time, *args)

        # Enqueues many jobs in one call.
        # @param list [Array<Array>] the arguments of each
        # @param at [Time, Numeric, Array, nil] time of all, or of each
        # @param spread [Numeric, nil] seconds to spread them over, from `at` or now
        # @return [Array<String, nil>] their ids
        def perform_bulk(list, at: nil, spread: nil)
          set.perform_bulk(list, at: at, spread: spread)
        end

        # Runs the job in this process, with arguments as a worker would get them. Middleware is
        # called, the store is not.
        # @return [Object] what `perform` returns
        def perform_inline(*args) = set.perform_inline(*args)

        # Calls `perform` with each item: `Raffia.map(items, on: :jobs, &ResizeJob)`.
        # @return [Proc]
        def to_proc = Jobs::Mapping::Reference.to_job(self)

        # @param options [Hash] for this call only, as {Options#options} takes them
        # @return [Jobs::ConfiguredJob]
        def set(**options) = Jobs::ConfiguredJob.new(self, options)
      end
    end
  end

  # The public name of {Jobs::Job}.
  Job = Jobs::Job
end

require_relative "configured_job"
require_relative "batch"
