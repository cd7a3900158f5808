# frozen_string_literal: true

require_relative "batch/callbacks"
require_relative "batch/status"
require_relative "client"

module Raffia
  module Jobs
    # A group of jobs, with callbacks for when they are done.
    #
    #     batch = Raffia::Jobs::Batch.new(description: "import of #{file}")
    #     batch.on(:success, ReportJob, file)
    #     batch.jobs { rows.each { |row| ImportJob.perform_async(row) } }
    #     batch.status.done
    #
    # * `:success`: all are done
    # * `:complete`: all are done or dead
    # * `:death`: the first one is dead
    #
    # A callback is a job, which is enqueued once, atomically with what completes the batch. If a
    # dead job is requeued and done, the batch becomes a success. A batch that is made in the `jobs`
    # of another one counts there as one job, which is done after its callbacks.
    class Batch
      class << self
        # @return [Batch, nil]
        def find(id, store: Setup.current.store) = (attach(id, store) if store.batch(id))

        # @return [Array<Status>] newest first
        def list(offset: 0, limit: 50, store: Setup.current.store)
          store.batches(offset: offset, limit: limit).map { |batch| Status.of(batch) }
        end

        # @api private
        def attach(id, store) = allocate.tap { |batch| batch.send(:attached, id, store) }
      end

      # @return [String]
      attr_reader :id
      # @return [String, nil] for people
      attr_reader :description

      def initialize(description: nil)
        @id = Payload.id
        @description = description
        @callbacks = Callbacks.new(@id)
      end

      # @param event [Symbol] :success, :complete or :death
      # @param job [Class]
      # @param args [Array] of its `perform`
      # @param options [Hash] see {Job::Enqueue#set}
      # @raise [ConfigError] for another event, for a second callback on one, and after {jobs}
      # @raise [BadArguments]
      def on(event, job, *args, **options)
        unless @callbacks
          raise ConfigError, "batch #{@id} is open already: say what it calls before its jobs"
        end

        @callbacks.add(event, job, args, options)
        self
      end

      # Adds the jobs that the block enqueues, and the fibers and threads that it starts. The first
      # call opens the batch, and seals it after the block; if the block raises, it is never
      # complete. Later calls add to it until it is complete, as its running jobs do by {Job#batch}.
      # @raise [Error] when it is complete
      def jobs(&block)
        raise ArgumentError, "a block is needed: which jobs belong to the batch?" unless block
        return add(&block) unless @callbacks

        store = open_with(@callbacks)
        value = Client.with_batch(@id, &block)
        store.seal_batch(@id)
        value
      end

      # @return [Status, nil] nil before it is open, and some days after it was complete
      def status = @store&.batch(@id)&.then { |batch| Status.of(batch) }

      private

      def attached(id, store)
        @id = id
        @store = store
      end

      def open_with(callbacks)
        client = Setup.current.client
        about = {"description" => @description, "created_at" => Time.now.to_f}.compact
        client.store.open_batch(@id, callbacks: callbacks.drafts(client), about: about,
          parent: Client.batch)
        @callbacks = nil
        @store = client.store
      end

      def add(&)
        raise Error, "batch #{@id} is complete: make another one" if status&.complete?

        Client.with_batch(@id, &)
      end
    end
  end
end
