# frozen_string_literal: true

require_relative "mapping/chunk_dispatcher"
require_relative "mapping/reference"

module Raffia
  module Jobs
    # Raffia.map, each and reduce over workers on any machine: chunks of items are jobs, and their
    # results come back through the store.
    #
    #     Raffia.map(ids, on: :jobs, &ResizeJob)                                # its perform
    #     Raffia.map(ids, on: :jobs, &Raffia::Jobs.reference(Images, :resize))  # a method
    #     Raffia.map(ids, on: Raffia::Jobs.workers(queue: "bulk"), &ResizeJob)
    #
    # Items and results are JSON values. When a worker dies, another one repeats its chunk.
    module Mapping
      # Chunks at a time, by default.
      WORKERS = 16

      # Strategy of one call, see {Pool::Strategy}.
      # @api private
      class Workers
        def initialize(client, queue)
          @dispatcher = ChunkDispatcher.new(client, queue)
        end

        def capacity(options) = options.workers || WORKERS

        # Seconds of a chunk: long enough to be worth the transport.
        def granularity = 0.1

        def group = Executor::Threads::WorkerGroup

        def in_caller? = false

        def background_group
          raise ConfigError, "a pool on: :jobs has no use: `raffia work` is the pool, and jobs " \
            "are enqueued by their classes"
        end

        def slots(plan, _input, _sizer, options)
          unless plan.block.is_a?(Reference)
            raise ConfigError, "on: :jobs cannot hand this block to another process: give a job " \
              "class (&ResizeJob), or a method of a module (&Raffia::Jobs.reference(Images, " \
              ":resize))"
          end
          if options.item_timeout
            raise ConfigError, "item_timeout has no effect on: :jobs: give the job class a timeout"
          end

          -> { JobSlot.new(plan, @dispatcher) }
        end

        def around
          @dispatcher.open
          yield
        ensure
          Raffia.shield { @dispatcher.close }
        end
      end

      # Posts each chunk as a job, for any worker of the store.
      # @api private
      class JobSlot < Pool::WorkerSlot
        def initialize(plan, dispatcher)
          super(plan)
          @dispatcher = dispatcher
        end

        # Raises {NotDumpable} for items that JSON does not know.
        def post(chunk)
          seed = (@plan.seed == Pool::Work::NOTHING) ? [] : [@plan.seed]
          @number = @dispatcher.send(@plan.block.name, @plan.operation.to_s, seed, chunk.items.to_a)
          super
        rescue BadArguments => error
          raise NotDumpable.new("on: :jobs hands items over as JSON: #{error.message}",
            item: chunk.at(chunk.first), index: chunk.first)
        end

        def collect
          reply = @dispatcher.take(@number)
          [@posted.shift, reply]
        end
      end
    end

    class << self
      # @param owner [Module]
      # @param method [Symbol] with one parameter
      # @return [Proc] that workers find by its name
      # @raise [ConfigError]
      def reference(owner, method) = Mapping::Reference.to_method(owner, method)

      # Target of a map: `Raffia.map(ids, on: Raffia::Jobs.workers(queue: "bulk"), &ResizeJob)`.
      # @param store [Store, nil] nil: {Jobs.store}
      def workers(queue: "default", store: nil)
        Mapping::Workers.new(store ? Client.new(store) : client, queue)
      end
    end

    Pool::Strategy.provide(:jobs) { workers }
  end
end
