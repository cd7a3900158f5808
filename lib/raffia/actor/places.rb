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
        when :fibers then host.fibers
        when :threads then Threads.shared
        when :processes then Remote::Place.new(Remote::Processes)
        else Remote::Place.new(Remote::Ractors)
        end
      end

      # In fibers of the actor's loop.
      class Fibers
        def initialize(host)
          @host = host
        end

        # @param now [Boolean] whether somebody waits for it
        # @return [void]
        def dispatch(execution, now) = now ? @host.now { execution.work } : go_on(execution)

        # The same, in its turn.
        # @return [void]
        def go_on(execution) = @host.later { execution.work }

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

        # @yieldparam region [#cancel] in which the actor works
        def enter(core, &) = CancellationStack.enter(core, &)

        # Runs code of the user's, which the region may break off.
        def expose(_region) = yield

        # @return [Actor] the core's object
        def build(factory, core) = factory.build(core)
      end

      # In threads, of which there are as many as actors that are at work.
      class Threads
        KEY = :raffia_actor_threads
        private_constant :KEY

        class << self
          # @return [Threads] of the running Ractor
          def shared = RactorLocal.fetch(KEY) { new }
        end

        def initialize
          @guard = SpinLock.new
        end

        # @return [void]
        def dispatch(execution, _now) = submit { execution.work }

        # The same when this thread has nothing else to do for the core: then it need not be another
        # one.
        # @return [void]
        def go_on(execution)
          order = -> { execution.work }
          submit(true, &order) unless Workers::Worker.current&.follow(order)
        end

        def here? = false

        # One of the threads does it itself: if all of them waited here for another there would be
        # none.
        # @return [Object] the block's value
        def run(&block)
          return Workers::Worker.aside { alone(&block) } if Workers::Worker.current

          Future.new.tap { |future| submit { future.attempt(&block) } }.value
        end

        # @return [void]
        def reenter(&) = submit(&)

        def enter(core) = yield(Breakable.new(core))

        def expose(region, &) = region.expose(&)

        # @return [Actor] the core's object
        def build(factory, core) = factory.build(core)

        # Lets go of the threads; there are others when they are wanted.
        # @return [void]
        def close
          @guard.hold { @workers.tap { @workers = nil } }&.close
        end

        private

        def alone(&block) = Deadline.replace(nil) { Breakable.covered(&block) }

        # @param ahead [Boolean] whether those that are at work may wait for it
        def submit(ahead = !Message.current.nil?, &)
          workers.submit(ahead: ahead, &)
        rescue Closed
          retry
        end

        def workers = @guard.hold { @workers ||= Workers.new }
      end
    end
  end
end

require_relative "places/breakable"
require_relative "places/workers"
