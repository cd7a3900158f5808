# frozen_string_literal: true

module Raffia
  module Simulation
    # The argument of a run's block: the world as the program sees it.
    class Handle
      # @api private
      def initialize(world)
        @world = world
      end

      # @return [Integer] the seed of the run
      def seed = @world.seed

      # @return [Float] virtual seconds since the start of the run
      def now = @world.clock.elapsed

      # Lets virtual time go on.
      # @param seconds [Numeric]
      # @return [void]
      def sleep(seconds)
        ::Kernel.sleep(seconds)
        nil
      end

      # Waits until nothing else can run without time going on.
      # @return [void]
      def settle = @world.settle

      # A choice of the run: drawn from the seed, recorded, replayed and shrunk towards 0.
      # @param count [Integer]
      # @return [Integer] 0...count
      def choose(count) = @world.choose(count)

      # @return [Random] drawn from the seed
      def random = @world.random

      # Runs the block in a thread of the simulation at a time.
      # @param seconds [Numeric] since the start of the run
      # @return [Thread]
      def at(seconds, &block)
        @world.start([], daemon: true, name: "at #{seconds}") do
          delay = seconds - now
          sleep(delay) if delay.positive?
          block.call
        end
      end

      # Declares that the thread may be left at the end of the run.
      # @param thread [Thread]
      # @return [Thread]
      def daemon(thread) = thread.tap { thread.daemon = true }

      # Runs the block outside of the simulation. The world stands still meanwhile.
      # @return [Object] the block's value
      def real(&) = @world.outside(&)
    end
  end
end
