# frozen_string_literal: true

require_relative "../../pool"

module Raffia
  module Jobs
    module Mapping
      # A place where a chunk is worked on: any worker of the store.
      # @api private
      class Seat < Pool::Seat
        # @param plan [Pool::Plan] whose block is a {Reference}
        # @param mailbox [Mailbox]
        def initialize(plan, mailbox)
          super(plan)
          @mailbox = mailbox
        end

        # @raise [NotDumpable] for items that JSON does not know
        def post(chunk)
          seed = (@plan.seed == Pool::Work::NOTHING) ? [] : [@plan.seed]
          @number = @mailbox.send(@plan.block.name, @plan.operation.to_s, seed, chunk.items.to_a)
          super
        rescue BadArguments => error
          raise NotDumpable.new("on: :jobs hands items over as JSON: #{error.message}",
            item: chunk.at(chunk.first), index: chunk.first)
        end

        # @return [Array(Pool::Chunk, Pool::Reply)]
        def collect
          reply = @mailbox.take(@number)
          [@posted.shift, reply]
        end
      end
    end
  end
end
