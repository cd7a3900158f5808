# frozen_string_literal: true

module Raffia
  module Simulation
    # Conditions that must hold at each choice of a run.
    #
    # @api private
    class Invariants
      def initialize(world)
        @world = world
        @list = {}
        @checking = false
      end

      def add(name, block) = @list[name] = block

      # Ends the run if one does not hold. Inside of the simulation's own code.
      def check
        return if @checking || @world.closing?

        error = violation or return
        @list.clear
        @world.fail(error)
      end

      # In the block of an invariant, the choice would be one within a choice.
      def reject_wait
        raise Error, "the block of an invariant must not wait: read variables only" if @checking
      end

      private

      def violation
        @checking = true
        @world.thread_scheduler.uninterrupted do
          name, = @list.find { |_, block| !block.call }
          InvariantViolation.new("the invariant #{name.inspect} does not hold") if name
        end
      rescue => error
        error
      ensure
        @checking = false
      end
    end
  end
end
