# frozen_string_literal: true

require_relative "chunk"

module Raffia
  class Pool
    # A bounded queue between producers and workers. A worker takes what is there, up to a chunk,
    # and never waits for a chunk to fill. Threads and fibers may wait on it alike.
    #
    # @api private
    class QueueFeed
      # The most items that wait where the bound follows the measured speed.
      WIDEST = 10_000

      # `limit`: the bound; nil: two chunks a worker. `running`: whether items that are being worked
      # on count too. `idle`: seconds without items after which a worker is dismissed; nil: never.
      # `keep`: so many idle workers stay.
      def initialize(sizer, workers, limit: nil, running: true, items: [], idle: nil, keep: 0)
        @sizer = sizer
        @workers = workers
        @limit = limit
        @running = running
        @items = items
        @first = 0 # the number of @items.first
        @out = 0 # items taken and not done
        @most = 0
        @ended = false
        @lock = Thread::Mutex.new
        @idle_workers = Executor::IdleWorkers.new(@lock, idle, keep: keep)
        @emptied = Thread::ConditionVariable.new
      end

      attr_writer :workers

      def push(item, full: :wait)
        @lock.synchronize do
          @emptied.wait(@lock) while full == :wait && full? && !@ended
          return :closed if @ended
          return :full if full == :refuse && full?

          add(item)
          @idle_workers.wake_one
          :added
        end
      end

      # Adds items as long as there is room. Returns how many.
      def push_all(items)
        @lock.synchronize do
          added = items.take_while { add(_1) unless @ended || full? }.size
          (brief? ? [added, 1].min : added).times { @idle_workers.wake_one }
          added
        end
      end

      # Puts back items that a worker had taken and not begun.
      def unshift(items)
        @lock.synchronize do
          @items.unshift(*items) # they get new numbers, which no worker can have noted
          @out -= items.size
          @idle_workers.wake_all
        end
      end

      # A chunk; nil at the end, when nothing is there now, or when the worker is dismissed.
      def take(wait: true)
        @lock.synchronize do
          @idle_workers.wait { nothing? } if wait && nothing?
          cut unless @items.empty?
        end
      end

      def done(count)
        @lock.synchronize do
          @out -= count
          @emptied.broadcast if @running
        end
      end

      # No more items will come; those that wait are still given out.
      def finish
        @lock.synchronize do
          @ended = true
          @idle_workers.close
          @emptied.broadcast
        end
      end

      # Gives out nothing any more. Returns the items that are left.
      def close
        finish
        drain
      end

      def drain
        @lock.synchronize do
          @emptied.broadcast
          @items.shift(@items.size)
        end
      end

      def idle = @idle_workers.count

      attr_reader :most

      def size = @items.size

      def crowded? = @lock.synchronize { @items.size > idle }

      private

      def nothing? = @items.empty? && !@ended

      def full?
        held = @running ? @items.size + @out : @items.size
        held >= (@limit || (2 * @workers * @sizer.now).clamp(2, WIDEST))
      end

      def add(item)
        @items << item
        @most = @items.size if @items.size > @most
        true
      end

      # Whether all waiting items are done sooner than a second worker is woken.
      def brief? = @sizer.brief?(@items.size)

      # One chunk, but no more than a fair share of what is there.
      def cut
        share = brief? ? @items.size : (@items.size + @workers - 1) / @workers
        items = @items.shift([@sizer.now, share].min)
        chunk = Chunk.new(@first, items.size, items: items)
        @first += items.size
        @out += items.size
        @emptied.broadcast unless @running
        chunk
      end
    end
  end
end
