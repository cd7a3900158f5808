# frozen_string_literal: true

require_relative "../../pool"

module Raffia
  module Compat
    module Parallel
      # Items with their numbers, handed out one by one. A callable or a Queue is asked only when a worker is free.
      #
      # @api private
      class Pairs
        # @param request [Request]
        def initialize(request)
          @producer = request.producer
          @items = request.items
          @index = -1
          @closed = false
          @lock = Thread::Mutex.new
        end

        # @return [Pool::Chunk, nil] of one item; nil at the end
        def take(wait: true)
          @lock.synchronize do
            return if @closed || over?

            item = @producer ? @producer.call : @items[@index + 1]
            return close && nil if ::Parallel::Stop.equal?(item)

            index = @index += 1
            Pool::Chunk.new(index, 1, items: [[item, index]])
          end
        end

        # Also from a trap handler.
        # @return [void]
        def close = @closed = true

        private

        def over? = !@items.nil? && @index + 1 >= @items.size
      end
    end
  end
end
