# frozen_string_literal: true

require_relative "../pool"
require_relative "mapping/chunk_dispatcher"
require_relative "mapping/reference"
require_relative "mapping/worker_slot"
require_relative "setup"

module Raffia
  module Jobs
    # Raffia.map and its sisters over workers on any machine: chunks of items are jobs, and their
    # results come back through the store.
    #
    #     Raffia.map(ids, on: :jobs, &ResizeJob)                                      # a job class, called with an item each
    #     Raffia.map(ids, on: :jobs, &Raffia::Jobs.reference(Images, :resize))        # a method of a module
    #     Raffia.map(ids, on: Raffia::Jobs.workers(queue: "bulk"), &ResizeJob)
    #
    # Items and results are what JSON knows. A worker that dies has its chunk done again by another.
    module Mapping
      # How many chunks are with workers at once, when nothing is said.
      WORKERS = 16

      class << self
        # @return [String] what says that a call's caller is there
        # @api private
        def key(call) = "map:#{call}"

        # @return [String] where a call's answers come in
        # @api private
        def queue(call) = "raffia.map.#{call}"
      end

      # A strategy, as {Pool::Strategy} wants it; one for each call.
      # @api private
      class Workers
        # @param client [Client]
        # @param queue [String]
        def initialize(client, queue)
          @dispatcher = ChunkDispatcher.new(client, queue)
        end

        def workers(options) = options.workers || WORKERS

        # Long enough to be worth the journey.
        def chunk_seconds = 0.1

        def group = Executor::Threads::WorkerGroup

        def in_caller? = false

        def background_group
          raise ConfigError, "a pool on: :jobs has no use: `raffia work` is the pool, and jobs " \
            "are enqueued by their classes"
        end

        # @raise [ConfigError] when the block cannot be found by workers
        def slots(plan, _input, _sizer, options)
          unless plan.block.is_a?(Reference)
            raise ConfigError,
              "on: :jobs cannot hand this block to another process: give a job class " \
              "(&ResizeJob), " \
              "or a method of a module (&Raffia::Jobs.reference(Images, :resize))"
          end
          if options.item_timeout
            raise ConfigError, "item_timeout has no effect on: :jobs: give the job class a timeout"
          end

          -> { WorkerSlot.new(plan, @dispatcher) }
        end

        def around
          @dispatcher.open
          yield
        ensure
          Raffia.shield { @dispatcher.close }
        end
      end
    end

    class << self
      # @param owner [Module]
      # @param method [Symbol] that takes one argument
      # @return [Proc] that workers can find by its name
      # @raise [ConfigError]
      def reference(owner, method) = Mapping::Reference.to_method(owner, method)

      # Where a map is to run: `Raffia.map(ids, on: Raffia::Jobs.workers(queue: "bulk"),
      # &ResizeJob)`.
      # @param queue [String] that workers read
      # @param store [Store, nil] nil: {Jobs.store}
      # @return [Object]
      def workers(queue: "default", store: nil)
        Mapping::Workers.new(store ? Client.new(store) : client, queue)
      end
    end

    Pool::Strategy.provide(:jobs) { workers }
  end
end
