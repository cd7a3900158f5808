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

    # The number of items that a worker takes at once: enough that the transport costs little beside
    # the work, and few enough that the workers end together. It starts at one, measures, and
    # follows.
    #
    # Workers use it without a lock: a lost measurement does no harm.
    #
    # @api private
    class ChunkSize
      MOST = 65_536
      # Growth of the next chunk over the measured one: the first items may not be typical.
      GROWTH = 8
      # Seconds to wake another worker and to hear of it, roughly.
      WAKE_UP = 0.000_1

      attr_reader :now

      # `target`: seconds of work that a chunk should hold; 0 means one item always.
      def initialize(fixed, target:)
        @per_item = nil
        @most = MOST
        aim(fixed, target: target)
      end

      def aim(fixed, target:)
        @target = target
        @fixed = fixed || (target.zero? ? 1 : nil)
        @fixed &&= [@fixed, @most].min
        @now = @fixed || (@per_item ? wanted : 1)
      end

      def at_most(count)
        @most = count
        @fixed &&= [@fixed, count].min
        @now = [@now, count].min
      end

      def learn(count, seconds)
        return if @fixed || count.zero?

        measured = seconds / count
        # Halfway to the new value: one odd item does not turn it around.
        @per_item = @per_item ? (@per_item + measured) / 2 : measured
        @now = [wanted, count * GROWTH].min
      end

      # Whether so many are done sooner than another worker is woken.
      def brief?(count) = !@fixed && !@per_item.nil? && @per_item * count < WAKE_UP

      # Whether a worker should have the next chunk before it has finished this one.
      def send_ahead?(seconds) = @per_item.nil? ? false : @per_item * @now < seconds

      private

      def wanted = (@per_item.positive? ? @target / @per_item : @most).clamp(1, @most).to_i
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
