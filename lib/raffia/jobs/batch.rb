# frozen_string_literal: true

require_relative "batch/callbacks"
require_relative "batch/status"
require_relative "client"
require_relative "errors"
require_relative "setup"

module Raffia
  module Jobs
    # Jobs that belong together, and what is to be done when they are done.
    #
    #     batch = Raffia::Jobs::Batch.new(description: "import of #{file}")
    #     batch.on(:success, ReportJob, file)
    #     batch.jobs { rows.each { |row| ImportJob.perform_async(row) } }
    #     batch.status.done
    #
    # * `:success`: all are done
    # * `:complete`: all are done, or dead
    # * `:death`: the first one is dead
    #
    # A callback is a job, and is enqueued once, in the same step as what completes the batch. A
    # dead job that is requeued and done after all makes the batch a success after all. Without jobs
    # it is complete at once.
    #
    # A batch that is made in the `jobs` of another one counts there as one job: the outer one is
    # complete after the inner one, and after the callbacks of the inner one, which belong to it
    # too.
    class Batch
      class << self
        # @param id [String]
        # @param store [Store]
        # @return [Batch, nil] nil when there is none
        def find(id, store: Setup.current.store) = (attach(id, store) if store.batch(id))

        # @return [Array<Status>] newest first
        def list(offset: 0, limit: 50, store: Setup.current.store)
          store.batches(offset: offset, limit: limit).map { |batch| Status.of(batch) }
        end

        # One that was opened before, without a look whether it is there.
        # @api private
        def attach(id, store) = allocate.tap { |batch| batch.send(:attached, id, store) }
      end

      # @return [String]
      attr_reader :id
      # @return [String, nil] for people
      attr_reader :description

      # @param description [String, nil] for people
      def initialize(description: nil)
        @id = Payload.id
        @description = description
        @callbacks = Callbacks.new(@id)
      end

      # @param event [Symbol] :success, :complete or :death
      # @param job [Class]
      # @param args [Array] of its `perform`
      # @param options [Hash] for this job, as {Job::Enqueue#set} takes them
      # @return [self]
      # @raise [ConfigError] for another event, for a second callback on one, and when the batch has
      #   been opened by {jobs}
      # @raise [BadArguments]
      def on(event, job, *args, **options)
        unless @callbacks
          raise ConfigError, "batch #{@id} is open already: say what it calls before its jobs"
        end

        @callbacks.add(event, job, args, options)
        self
      end

      # What is enqueued in the block, and in the fibers and threads that it starts, belongs to the
      # batch. The first time it is opened, and sealed after the block; when the block raises it is
      # not, and so is never complete. A running job of the batch adds to it by the same call, see
      # {Job#batch}; somebody else can as long as it is not complete.
      # @return [Object] the block's value
      # @raise [Error] when it is complete already
      def jobs(&block)
        raise ArgumentError, "a block is needed: which jobs belong to the batch?" unless block
        return add(&block) unless @callbacks

        store = open_with(@callbacks)
        value = Client.with_batch(@id, &block)
        store.seal_batch(@id)
        value
      end

      # @return [Status, nil] nil when it is not open yet, or was thrown away some days after it was
      #   complete
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
