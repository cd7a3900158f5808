# frozen_string_literal: true

require_relative "interrupt_scope"
require_relative "worker_threads"

module Raffia
  class Actor
    module Executors
      # Runs actors in threads: as many as there are actors at work.
      class Threads
        KEY = :raffia_actor_threads
        private_constant :KEY

        # @return [Threads] of the running Ractor
        def self.shared = RactorLocal.fetch(KEY) { new }

        def initialize
          @lock = SpinLock.new
        end

        # As {Fibers#dispatch}.
        def dispatch(execution, _now) = submit { execution.work }

        # Continues in the same thread, if it has nothing else to do for the actor.
        def go_on(execution)
          order = -> { execution.work }
          submit(true, &order) unless WorkerThread.current&.follow(order)
        end

        # A worker thread runs the block itself: if all of them waited here for another there would
        # be none.
        # @return [Object] the block's value
        def run(&block)
          return WorkerThread.aside { protect(&block) } if WorkerThread.current

          Future.new.tap { |future| submit { future.attempt(&block) } }.value
        end

        # (see Fibers#reenter)
        def reenter(&) = submit(&)

        # (see Fibers#enter)
        def enter(core) = yield(InterruptScope.new(core))

        # (see Fibers#expose)
        def expose(scope, &) = scope.expose(&)

        # (see Fibers#build)
        def build(factory, core) = factory.build(core)

        # Lets the threads go. Others are started when they are needed.
        def close
          @lock.hold { @workers.tap { @workers = nil } }&.close
        end

        private

        def protect(&block) = Deadline.replace(nil) { InterruptScope.protect(&block) }

        # @param ahead [Boolean] whether actors at work may wait for it
        def submit(ahead = !Message.current.nil?, &)
          workers.submit(ahead: ahead, &)
        rescue Closed
          retry
        end

        def workers = @lock.hold { @workers ||= WorkerThreads.new }
      end
    end
  end
end
