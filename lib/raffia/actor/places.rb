# frozen_string_literal: true

module Raffia
  class Actor
    # Where an actor's methods run, and how what runs there is broken off.
    #
    # @api private
    module Places
      # @param name [Symbol] as in {Settings#on}
      # @return [Fibers, Threads]
      def self.find(name, host)
        case name
        when :fibers then Fibers.new(host)
        when :threads then Threads.shared
        else raise ConfigError, "actors on #{name.inspect} are not there yet: use :fibers or :threads"
        end
      end

      # In fibers of the actor's loop.
      class Fibers
        def initialize(host)
          @host = host
        end

        # @param now [Boolean] whether somebody waits for it
        # @return [void]
        def dispatch(cell, now) = now ? @host.now { cell.work } : @host.later { cell.work }

        # @return [Boolean] whether code that may wait can run right here
        def here? = @host.here?

        # Runs the block there, and waits for it.
        # @return [Object] the block's value
        def run(&block)
          return yield if here?

          Future.new.tap { |future| @host.later { future.attempt(&block) } }.value
        end

        # The same for a block that the actor's own work waits for.
        # @return [void]
        def reenter(&) = @host.now(&)

        # @return [void]
        def interrupt(_runner, _reason) = nil
      end

      # In threads, of which there are as many as actors that are at work.
      class Threads
        # How many can be at work at a time. Those that wait for each other count, too.
        MOST = 1_000

        # @return [Threads] of the running Ractor
        def self.shared = Local.fetch(:raffia_actor_threads) { new }

        def initialize
          @pool = Pool.new(on: :threads, workers: MOST)
        end

        # @return [Object] for {interrupt}
        def dispatch(cell, _now) = @pool.submit { cell.work }

        def here? = false

        # @return [Object] the block's value
        def run(&) = @pool.submit(&).value

        # @return [void]
        def reenter(&) = @pool.submit(&)

        # @return [void]
        def interrupt(runner, reason) = runner&.cancel(reason)
      end
    end
  end
end
