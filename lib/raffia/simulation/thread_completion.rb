# frozen_string_literal: true

module Raffia
  module Simulation
    # How a simulated thread ended, and the fibers that wait for that.
    #
    # @api private
    class ThreadCompletion
      # The block's value, and the error that ended it; nil for none.
      attr_accessor :value, :error

      def initialize(world, thread)
        @world = world
        @thread = thread
        @value = @error = nil
        @reached = @seen = false
        @waiters = []
      end

      def reached? = @reached

      # Waits for it. False when the seconds were over first; raises the thread's error.
      def await(limit)
        deadline = limit && Clock.now + limit
        until @reached
          remaining = [deadline - Clock.now, 0].max if deadline
          break unless block(remaining)
        end
        return false unless @reached

        @seen = true
        @error ? raise(@error) : true
      end

      # The thread has ended.
      def reach
        @reached = true
        @waiters.each { |fiber| @world.fiber_waits.unblock(@thread, fiber) }
      end

      # Nobody need see the error.
      def disregard = @seen = true

      # The error, if it has been raised nowhere.
      def unseen_error = (@error unless @seen)

      private

      # Whether the fiber was woken before the time was up.
      def block(seconds)
        @waiters << (fiber = ::Fiber.current)
        @world.fiber_waits.block(@thread, seconds)
      ensure
        @waiters.delete(fiber)
      end
    end
  end
end
