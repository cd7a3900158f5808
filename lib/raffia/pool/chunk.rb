# frozen_string_literal: true

module Raffia
  class Pool
    # Some neighbouring items of an input, on their way through a worker.
    #
    # @api private
    class Chunk
      attr_reader :first, :size

      def initialize(first, size, source: nil, items: nil)
        @first = first
        @size = size
        @source = source
        @items = items
      end

      def items = @items || @source.slice(@first, @size)

      # `index`: counted from the start of the input, here and below.
      def at(index) = @items ? @items[index - @first] : @source.at(index)
      def cover?(index) = index >= @first && index < @first + @size

      def part(first, size)
        Chunk.new(first, size, source: @source, items: @items && @items[first - @first, size])
      end

      def indexed? = @items.nil?
    end

    # Cuts an indexed input into chunks, front to back, for workers that take them themselves.
    #
    # @api private
    class IndexedFeed
      # Near the end the chunks shrink, so that all workers finish together.
      def initialize(input, sizer, workers)
        @input = input
        @sizer = sizer
        self.workers = workers
        @next = 0
        @size = input.size
        @closed = false
        @lock = Thread::Mutex.new
      end

      def workers=(workers)
        @share = workers * 2
      end

      # A Chunk; nil at the end, or when closed. `wait` has no effect: no more items can come.
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

      def left = @closed ? 0 : @size - @next

      # No producer waits for room.
      def done(_count) = nil
      def close = @closed = true

      private

      def fair(left) = left.is_a?(Integer) ? (left + @share - 1) / @share : ChunkSize::MOST
    end
  end
end
