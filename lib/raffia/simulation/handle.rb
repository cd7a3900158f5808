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

      # Adds a line to the timeline of a failure; other runs ignore it.
      # @param text [#to_s]
      # @return [void]
      def note(text)
        @world.note(:note, nil, text)
        nil
      end

      # @return [Random] drawn from the seed
      def random = @world.random

      # A place at which the program may behave badly though correctly: retry, answer late, give up.
      # In a quarter of all runs the place is on, and then the fault happens with the probability;
      # see also {Simulation.fault?}.
      # @param name [Symbol, String] of the place
      # @param probability [Float]
      # @return [Boolean] whether it happens now
      def fault(name, probability = 0.25) = @world.faults.site?(name, probability)

      # Plans a fault: the nth visit of a place from now on raises the error.
      # @param error [Class, Exception, true] true for a place of {#fault}, which then says true
      # @param at [String, Symbol] such as "File#write", "File.open", "BasicSocket#readpartial", or
      #   the name of a place of {#fault}
      # @param nth [Integer]
      # @return [void]
      # @raise [ConfigError]
      def inject(error = true, at:, nth: 1)
        CoreMethods.install_faults
        @world.faults.plan(error, site: at, nth: nth)
        nil
      end

      # Ends all faults by chance: what the run checks from now on must hold.
      # @return [void]
      def heal
        @world.faults.heal
        nil
      end

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
