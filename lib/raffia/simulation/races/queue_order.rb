# frozen_string_literal: true

module Raffia
  module Simulation
    class Races
      # The order that one Queue makes: each item comes from one push to one pop, and in a
      # SizedQueue each free place from one pop to one push.
      # @api private
      class QueueOrder
        # @param places [Integer, nil] of a SizedQueue
        def initialize(ordering, places)
          @ordering = ordering
          @items = []
          @free = places && Array.new(places)
        end

        def pushes(thread) = @items << @ordering.release(thread)

        def pushed(thread)
          @ordering.acquire(thread, @free.shift) if @free
        end

        def popped(thread)
          @ordering.acquire(thread, @items.shift)
          @free&.push(@ordering.release(thread))
        end

        # The items are dropped, so their places are free.
        def cleared(thread)
          count = @items.size
          @items.clear
          @free&.concat(Array.new(count, @ordering.release(thread)))
        end
      end
    end
  end
end
