# frozen_string_literal: true

require_relative "../../pool"

module Raffia
  module Jobs
    module Mapping
      # A slot whose chunks any worker of the store works on.
      # @api private
      class WorkerSlot < Pool::WorkerSlot
        # @param plan [Pool::Plan] whose block is a {Reference}
        # @param dispatcher [ChunkDispatcher]
        def initialize(plan, dispatcher)
          super(plan)
          @dispatcher = dispatcher
        end

        # @raise [NotDumpable] for items that JSON does not know
        def post(chunk)
          seed = (@plan.seed == Pool::Work::NOTHING) ? [] : [@plan.seed]
          @number = @dispatcher.send(@plan.block.name, @plan.operation.to_s, seed, chunk.items.to_a)
          super
        rescue BadArguments => error
          raise NotDumpable.new("on: :jobs hands items over as JSON: #{error.message}",
            item: chunk.at(chunk.first), index: chunk.first)
        end

        # @return [Array(Pool::Chunk, Executor::Reply)]
        def collect
          reply = @dispatcher.take(@number)
          [@posted.shift, reply]
        end
      end
    end
  end
end
