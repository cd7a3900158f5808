# frozen_string_literal: true

require_relative "work"

module Raffia
  class Pool
    # A place where chunks are worked on. This one is the very thread or fiber that drives it; its
    # children put the work into another Ractor or process. A seat is used by one driver.
    #
    # @api private
    class Seat
      # @return [Array<Chunk>] handed over and not collected, oldest first
      attr_reader :posted

      # @param plan [Plan]
      def initialize(plan)
        @plan = plan
        @posted = []
      end

      # Whether it takes another chunk before the last one is collected.
      def ready? = @posted.empty?

      # @param chunk [Chunk]
      # @return [void]
      def post(chunk)
        @posted << chunk
      end

      # Wait for the oldest chunk.
      # @return [Array(Chunk, Reply)]
      # @raise [WorkerDied, NotDumpable, NotShareable]
      def collect
        chunk = @posted.first
        reply = Work.call(@plan, payload(chunk))
        @posted.shift
        [chunk, reply]
      end

      # @return [Integer, nil] of a worker process
      def pid = nil

      # @return [Integer] how many workers were here before this one, and have been replaced because
      #   they had served their time
      def replaced = 0

      # @return [Integer, nil] the index of the item that the worker has begun and not finished, as
      #   far as that is known
      def begun = @posted.first&.first

      # @return [Integer] the index of the item that this thread or fiber was at when it was killed
      def killed_at
        chunk = @posted.first
        position = Work.killed_position
        chunk.first + ((position && position < chunk.size) ? position : 0)
      end

      # Give the place up.
      # @param clean [Boolean] false when work may still be under way that nobody wants any more
      # @return [void]
      def leave(clean)
      end

      # What a person would call the item.
      def subject(chunk, index)
        item = chunk.at(index)
        (@plan.operation == :settle) ? item.subject : item
      end

      private

      # What a worker elsewhere is sent for a chunk.
      def payload(chunk) = (@plan.operation == :settle) ? chunk.items.map(&:arguments) : chunk.items
    end
  end
end
