# frozen_string_literal: true

require_relative "chunk"

module Raffia
  class Pool
    # Hands out an indexed input, chunk by chunk, front to back, to workers that help themselves.
    #
    # @api private
    class IndexedFeed
      # @param workers [Integer] who share it: near the end the chunks shrink, so that all finish
      #   together
      def initialize(input, sizer, workers)
        @input = input
        @sizer = sizer
        self.workers = workers
        @next = 0
        @size = input.size
        @closed = false
        @lock = Thread::Mutex.new
      end

      # @param workers [Integer] who share it from now on
      def workers=(workers)
        @share = workers * 2
      end

      # @param wait [Boolean] of no meaning here: what is not there will not come
      # @return [Chunk, nil] nil at the end, or when closed
      def take(wait: true)
        @lock.synchronize do
          left = @size - @next
          return if @closed || left <= 0

          first = @next
          count = [@sizer.now, fair(left)].min
          @next += count
          Chunk.new(first, count, source: @input)
        end
      end

      # @return [Integer, Float] how many items nobody has taken
      def left = @closed ? 0 : @size - @next

      # No producer waits for room.
      def done(_count) = nil
      def close = @closed = true

      private

      def fair(left) = left.is_a?(Integer) ? (left + @share - 1) / @share : ChunkSize::MOST
    end
  end
end
