# frozen_string_literal: true

require_relative "interrupt_scope"
require_relative "worker_threads"

module Raffia
  class Actor
    module Executors
      # Runs actors in threads, as many as there are actors at work.
      class Threads
        KEY = :raffia_actor_threads
        private_constant :KEY

        def self.shared = RactorLocal.fetch(KEY) { new }

        def initialize
          @lock = SpinLock.new
        end

        def dispatch(execution, _awaited) = submit { execution.work }

        # Continues in the same thread, if it has nothing else to do for the actor.
        def go_on(execution)
          order = -> { execution.work }
          submit(true, &order) unless WorkerThread.current&.follow(order)
        end

        # A worker thread runs the block itself: if all of them waited here for another there would
        # be none.
        def run(&block)
          return WorkerThread.aside { protect(&block) } if WorkerThread.current

          Future.new.tap { |future| submit { future.attempt(&block) } }.value
        end

        def reenter(&) = submit(&)

        def enter(core) = yield(InterruptScope.new(core))

        def expose(scope, &) = scope.expose(&)

        def build(factory, core) = factory.build(core)

        # Lets the threads go. Others are started when they are needed.
        def close
          @lock.hold { @workers.tap { @workers = nil } }&.close
        end

        def workers = @lock.hold { @workers ||= WorkerThreads.new }

        private

        def protect(&block) = Deadline.replace(nil) { InterruptScope.protect(&block) }

        # Actors at work may wait for an order that is ahead.
        def submit(ahead = !Message.current.nil?, &)
          workers.submit(ahead: ahead, &)
        rescue Closed
          retry
        end
      end
    end
  end
end
