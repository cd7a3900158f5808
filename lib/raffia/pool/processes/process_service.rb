# frozen_string_literal: true

require_relative "../../process/heap_reserve"
require_relative "parcel_dump"
require_relative "../reply_dump"
require_relative "../work"

module Raffia
  class Pool
    # What a forked worker does: read a chunk, run the block over it, write the reply, until no more
    # come.
    #
    # @api private
    class ProcessService
      # @param plan [Plan]
      # @param input [#slice, nil] when chunks come as numbers
      # @param cell [Process::SharedCounter] where the item that is being worked on is noted
      def initialize(plan, input, cell)
        @input = input
        @cell = cell
        @index = 0
        @late = (plan.operation == :reduce && Work::NOTHING.equal?(plan.seed)) ? 1 : 0
        @plan = plan.with(block: noting(plan.operation, plan.block))
      end

      # @param link [Process::WorkerConnection]
      # @return [void]
      def run(link)
        codec = ParcelDump.new(link.payloads)
        headroom = Process::HeapReserve.new
        while (frame = link.reader.read)
          first, what = codec.load(frame)
          items = what.is_a?(Integer) ? @input.slice(first, what) : what
          # The first item of such a fold is not given to the block.
          @index = first + @late
          reply = Work.call(@plan, items)
          break unless link.writer.write(ReplyDump.dump(reply, codec, trial: ParcelDump.new(nil)))

          headroom.call
        end
      end

      private

      # The user's block, which first notes its item: when this process is killed, the parent will
      # want to know.
      def noting(operation, block)
        case operation
        when :reduce then ->(memo, item) { note && block.call(memo, item) }
        when :settle then ->(*arguments) { note && block.call(*arguments) }
        else ->(item) { note && block.call(item) }
        end
      end

      def note
        @cell.value = @index
        @index += 1
      end
    end
  end
end
