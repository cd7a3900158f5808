# frozen_string_literal: true

module Raffia
  module Compat
    module Parallel
      # An item with its index, used as a chunk of one.
      #
      # @api private
      NumberedItem = Struct.new(:item, :first) do
        def size = 1

        # Items in the form that workers in Ractors and processes receive.
        def items = [[item, first]]

        def at(_index) = item

        def cover?(index) = index == first

        def indexed? = false
      end

      # Gives out items one by one. It calls a callable or pops a Queue only when a worker is free.
      #
      # @api private
      class ItemFeed
        # A callable or a Queue gives it after its last item.
        STOP = Object.new.freeze

        def initialize(request)
          @producer = request.producer
          @queue = request.queue?
          @items = request.items
          @index = -1
          @closed = false
          @lock = Thread::Mutex.new
          @waiting = 0
          @waiting_lock = Thread::Mutex.new
        end

        def take(wait: true)
          return (@queue ? wait_for { ask } : ask) if @producer

          index = @lock.synchronize { @index += 1 }
          # The Array may grow meanwhile, such as a crawler's list of addresses.
          NumberedItem.new(@items[index], index) unless @closed || index >= @items.size
        end

        # Threads that wait for the Queue.
        def waiting = @waiting_lock.synchronize { @waiting }

        # Safe in a trap handler.
        def close = @closed = true

        private

        # Workers do not wait once the feed is closed.
        def wait_for
          return if @closed

          begin
            @waiting_lock.synchronize { @waiting += 1 }
            yield
          ensure
            @waiting_lock.synchronize { @waiting -= 1 }
          end
        end

        def ask
          @lock.synchronize do
            return if @closed

            item = @producer.call
            return close && nil if STOP.equal?(item)

            NumberedItem.new(item, @index += 1)
          end
        end
      end
    end
  end
end
