# frozen_string_literal: true

require_relative "work"

module Raffia
  class Pool
    # Holds the chunks that one worker loop has posted, until it collects them with their replies.
    # Here the loop itself does the work; in a {RemoteSlot} a worker elsewhere does.
    #
    # @api private
    class WorkerSlot
      attr_reader :posted

      def initialize(plan, worker = nil)
        @plan = plan
        @worker = worker
        @posted = []
      end

      # Whether it takes another chunk before the last one is collected.
      def ready? = @posted.empty?

      def post(chunk)
        @posted << chunk
      end

      def collect
        chunk = @posted.first
        reply = Work.call(@plan, payload(chunk))
        @posted.shift
        [chunk, reply]
      end

      def pid = nil

      def replaced = 0

      # Index of the item that the worker has begun and not finished, as far as that is known.
      def begun = @posted.first&.first

      def interrupt = @worker.interrupt

      def close(clean) = @worker&.close(clean ? Executor::GRACE : 0)

      def subject(chunk, index)
        item = chunk.at(index)
        (@plan.operation == :settle) ? item.subject : item
      end

      # The error for a loop whose thread or fiber was killed, which no `rescue` sees.
      def killed
        chunk = @posted.first
        index = chunk && killed_at(chunk)
        what = chunk ? "while it worked on item #{index}" : "while it was idle"
        WorkerDied.new("a worker thread or fiber was killed #{what}: Thread.current.kill and " \
          "Fiber#kill end workers, use next to end an item, or an exception to end the call",
          item: chunk && subject(chunk, index), index: index)
      end

      private

      def payload(chunk)
        (@plan.operation == :settle) ? chunk.items.map(&:arguments) : chunk.items
      end

      def killed_at(chunk)
        position = Work.killed_position
        chunk.first + ((position && position < chunk.size) ? position : 0)
      end
    end

    # A slot for futures, which run themselves in its worker loop.
    #
    # @api private
    class FutureSlot < WorkerSlot
      # The block lets another loop wait for the next futures.
      def initialize(&spread)
        super(nil)
        @spread = spread
      end

      # Without a reply: a future knows its own outcome. The chunk stays posted until its futures
      # have run, so that they fail when the block does.
      def collect
        @spread.call
        chunk = @posted.first
        chunk.items.each(&:run)
        @posted.shift
        [chunk, nil]
      end

      def subject(chunk, index) = chunk.at(index).subject

      private

      def killed_at(chunk) = chunk.first + (chunk.items.index { |future| !future.done? } || 0)
    end
  end
end
