# frozen_string_literal: true

module Raffia
  module Simulation
    class LockOrder
      # A lock that was taken while another one was held. `guards`: further locks that were held.
      #
      # @api private
      class Acquisition
        attr_reader :held, :lock, :fiber, :guards, :thread, :started, :ended

        def initialize(world, held, lock, place, held_place, guards)
          @held = held
          @lock = lock
          @place = place
          @held_place = held_place
          @guards = guards
          @fiber = ::Fiber.current
          @thread = world.running
          @started = world.threads.size
          @ended = world.threads.reject(&:alive?)
          @index = world.threads.index { |thread| thread.equal?(@thread) }
        end

        # Whether another one can happen at the same time: in another fiber, with no common lock
        # around both, and not before the other thread was started or after it was joined.
        def concurrent?(other)
          return false if @fiber.equal?(other.fiber)
          return false if @guards.any? { |one| other.guards.any? { |two| one.equal?(two) } }

          !ordered?(other) && !other.ordered?(self)
        end

        # Whether it happened before the other one's thread, or after it.
        def ordered?(other)
          return false unless other.thread.path.start_with?("#{@thread.path}/")

          @started <= other.index || @ended.any? { |thread| thread.equal?(other.thread) }
        end

        def to_s = "#{short(@place)} takes a lock while it holds that of #{short(@held_place)}"

        protected

        attr_reader :index

        private

        def short(place) = Location.short(place)
      end
    end
  end
end
