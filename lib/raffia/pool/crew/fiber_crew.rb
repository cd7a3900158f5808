# frozen_string_literal: true

require_relative "../../task"
require_relative "driver"

module Raffia
  class Pool
    # Drivers in fibers of the running scheduler, as tasks of one scope: the scope ends after them,
    # and cancels them when the caller is interrupted.
    #
    # @api private
    class FiberCrew
      # @param desk [Traversal, Pool]
      # @param workers [Integer] at most
      # @yieldreturn [Seat]
      def initialize(desk, workers, &seats)
        @desk = desk
        @workers = workers
        @seats = seats
        @tasks = []
      end

      # @return [Integer]
      def size = @tasks.size

      # Run the block, and end with all fibers ended.
      def open
        Scope.open do |scope|
          @scope = scope
          yield
          @tasks.each { |task| task.cancel(:pool_stopped) }
        end
      end

      # Their scope waits for them.
      # @return [void]
      def join = nil

      # @param count [Integer] of drivers
      # @return [void]
      def start(count) = count.times { add }

      # Start one more driver if the work that waits asks for it.
      # @param feed [QueueFeed]
      # @return [void]
      def grow(feed)
        add if size < @workers && feed.crowded?
      end

      private

      def add
        @tasks << @scope.spawn { Driver.run(@desk, @seats, &:call) }
      end
    end
  end
end
