# frozen_string_literal: true

require_relative "../../pool"

module Raffia
  module Compat
    module Parallel
      # An item and its number: to worker loops and slots a chunk of one.
      #
      # @api private
      NumberedItem = Struct.new(:item, :first) do
        def size = 1

        # The items, for a worker elsewhere.
        def items = [[item, first]]

        def at(_index) = item

        def cover?(index) = index == first

        def indexed? = false
      end

      # Hands out items one by one. A callable or a Queue is asked for one when a worker is free,
      # not before.
      #
      # @api private
      class ItemFeed
        # @param request [Request]
        def initialize(request)
          @producer = request.producer
          @queue = request.queue?
          @items = request.items
          @index = -1
          @closed = false
          @lock = Thread::Mutex.new
          @waiting = 0
          @gate = Thread::Mutex.new
        end

        # @return [NumberedItem, nil] nil at the end
        def take(wait: true)
          return (@queue ? wait_for { ask } : ask) if @producer

          index = @lock.synchronize { @index += 1 }
          # The Array may grow meanwhile, as a crawler's list of addresses does.
          NumberedItem.new(@items[index], index) unless @closed || index >= @items.size
        end

        # @return [Integer] how many threads wait for what comes out of a Queue
        def waiting = @gate.synchronize { @waiting }

        # Also from a trap handler.
        # @return [void]
        def close = @closed = true

        private

        # A worker that comes after the close does not wait.
        def wait_for
          return if @closed

          begin
            @gate.synchronize { @waiting += 1 }
            yield
          ensure
            @gate.synchronize { @waiting -= 1 }
          end
        end

        def ask
          @lock.synchronize do
            return if @closed

            item = @producer.call
            return close && nil if ::Parallel::Stop.equal?(item)

            NumberedItem.new(item, @index += 1)
          end
        end
      end
    end
  end
end
