# frozen_string_literal: true

require_relative "../base/error"
require_relative "../executor"
require_relative "work"

module Raffia
  class Pool
    # The place of one worker loop for chunks: posted here, and collected with their replies. In
    # this one the loop itself does the work; in a {RemoteSlot} a worker elsewhere does.
    #
    # @api private
    class WorkerSlot
      # @return [Array<Chunk>] handed over and not collected, oldest first
      attr_reader :posted

      # @param worker [#interrupt, #close, nil] that the plan's block calls
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

      # Wait for the oldest chunk.
      # @raise [WorkerDied, NotDumpable, NotShareable]
      def collect
        chunk = @posted.first
        reply = Work.call(@plan, payload(chunk))
        @posted.shift
        [chunk, reply]
      end

      # @return [Integer, nil] of a worker process
      def pid = nil

      # @return [Integer] workers that were replaced here because they had served their time
      def replaced = 0

      # @return [Integer, nil] index of the item that the worker has begun and not finished, as far
      #   as that is known
      def begun = @posted.first&.first

      # Stop what is worked on, from whichever thread.
      # @return [Symbol] see {Executor}
      def interrupt = @worker.interrupt

      # Give the slot up.
      # @param clean [Boolean] false when work may still be under way that nobody wants any more
      def close(clean) = @worker&.close(clean ? Executor::GRACE : 0)

      # The item as a person would name it.
      def subject(chunk, index)
        item = chunk.at(index)
        (@plan.operation == :settle) ? item.subject : item
      end

      # The loop's thread or fiber was killed, which no `rescue` sees.
      def killed
        chunk = @posted.first
        index = chunk && killed_at(chunk)
        what = chunk ? "while it worked on item #{index}" : "while it was idle"
        WorkerDied.new("a worker thread or fiber was killed #{what}: Thread.current.kill and " \
          "Fiber#kill end workers, use next to end an item, or an exception to end the call",
          item: chunk && subject(chunk, index), index: index)
      end

      private

      # The items, or the arguments of the calls.
      def payload(chunk)
        (@plan.operation == :settle) ? chunk.items.map(&:arguments) : chunk.items
      end

      def killed_at(chunk)
        position = Work.killed_position
        chunk.first + ((position && position < chunk.size) ? position : 0)
      end
    end
  end
end
