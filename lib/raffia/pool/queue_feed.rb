# frozen_string_literal: true

require_relative "chunk"

module Raffia
  class Pool
    # A bounded queue between one who has items and the workers. Workers take what is there, up to a chunk, and never wait for
    # a chunk to fill: a slow source loses nothing by it. Threads and fibers may wait on it alike.
    #
    # @api private
    class QueueFeed
      # The most that a window that follows the measured speed may hold.
      WIDEST = 10_000

      # @param sizer [ChunkSize]
      # @param workers [Integer] who share it
      # @param limit [Integer, nil] the bound; nil follows the speed: two chunks a worker
      # @param running [Boolean] whether items that are being worked on count too
      def initialize(sizer, workers, limit: nil, running: true)
        @sizer = sizer
        @workers = workers
        @limit = limit
        @running = running
        @items = []
        @first = 0 # the index of @items.first
        @out = 0 # items taken and not done
        @idle = 0
        @ended = false
        @lock = Thread::Mutex.new
        @filled = Thread::ConditionVariable.new
        @emptied = Thread::ConditionVariable.new
      end

      # @param workers [Integer] who share it from now on
      attr_writer :workers

      # Add an item; wait while the queue is full.
      # @param wait [Boolean] false adds it all the same
      # @return [Symbol] :added or :closed
      def push(item, wait: true)
        @lock.synchronize do
          @emptied.wait(@lock) while wait && full? && !@ended
          return :closed if @ended

          @items << item
          @filled.signal if @idle.positive?
          :added
        end
      end

      # Put items back in front, which a worker had taken and not begun.
      # @param items [Array]
      # @return [void]
      def unshift(items)
        @lock.synchronize do
          @items.unshift(*items)
          @first -= items.size
          @out -= items.size
          @filled.broadcast
        end
      end

      # @param wait [Boolean] whether to wait when nothing is there
      # @return [Chunk, nil] nil at the end, or when nothing is there now
      def take(wait: true)
        @lock.synchronize do
          rest while wait && @items.empty? && !@ended
          cut unless @items.empty?
        end
      end

      # A worker is through with what it took.
      # @param count [Integer] of items
      # @return [void]
      def done(count)
        @lock.synchronize do
          @out -= count
          @emptied.broadcast if @running
        end
      end

      # No more items will come; those that wait are still handed out.
      # @return [void]
      def finish
        @lock.synchronize do
          @ended = true
          @filled.broadcast
          @emptied.broadcast
        end
      end

      # Hand out nothing any more.
      # @return [Array] the items that nobody took
      def close
        finish
        drain
      end

      # @return [Array] the items that nobody took
      def drain
        @lock.synchronize do
          @emptied.broadcast
          @items.slice!(0..)
        end
      end

      # @return [Integer] how many workers wait for items
      attr_reader :idle

      # @return [Integer] how many items wait
      def size = @items.size

      # @return [Boolean] whether more wait than there are workers at rest to take them
      def crowded? = @lock.synchronize { @items.size > @idle }

      private

      def full?
        held = @running ? @items.size + @out : @items.size
        held >= (@limit || (2 * @workers * @sizer.now).clamp(2, WIDEST))
      end

      def rest
        @idle += 1
        @filled.wait(@lock)
      ensure
        @idle -= 1
      end

      # One chunk, but no more than a fair share of what is there.
      def cut
        items = @items.shift([@sizer.now, (@items.size + @workers - 1) / @workers].min)
        chunk = Chunk.new(@first, items.size, items: items)
        @first += items.size
        @out += items.size
        @emptied.broadcast unless @running
        chunk
      end
    end
  end
end
