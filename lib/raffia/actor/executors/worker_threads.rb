# frozen_string_literal: true

module Raffia
  class Actor
    module Executors
      # Threads that take orders from one queue.
      #
      # A pool starts them. An order as a unit of the pool would cost twice as much (docs/adr/0024).
      class WorkerThreads
        # Threads at a time. Those that wait for each other count, too.
        MOST = 1_000
        # Idle threads that stay. The others go back to the pool, which ends them after a while.
        READY = 16

        def initialize(most: MOST, ready: READY)
          @most = most
          @ready = ready
          @pool = Pool.new(on: :threads, workers: most)
          @lock = SpinLock.new
          start_over
          @fork = Fork.after_child { start_over }
        end

        # Runs the block in one of the threads. An order that is `ahead` goes before the others:
        # threads at work may wait for it, and none would be left if each took one that waits, too.
        def submit(ahead: false, &order)
          start if @lock.hold { add(order, ahead) }
        end

        def threads = @live

        def behind? = @free.negative?

        # Ends the threads when they have run all orders.
        def close
          @fork.remove
          @lock.hold { @orders.close }
          @pool.shutdown(0)
        end

        def stay? = !@lock.hold { @free += 1 if @free < @ready }.nil?

        # Returns nil when the threads are to end.
        def wait = @orders.pop && @lock.hold { @ahead.shift || @others.shift }

        def left(waiting)
          @lock.hold do
            @live -= 1
            @free -= 1 if waiting
          end
        end

        private

        def start_over
          @orders = ::Thread::Queue.new # an element for each order in one of these
          @ahead = []
          @others = []
          @live = 0
          @free = 0 # idle threads, less waiting orders
        end

        def add(order, ahead)
          raise Closed, "these threads have been ended" if @orders.closed?

          (ahead ? @ahead : @others) << order
          @orders << true
          @free -= 1
          return false unless @free.negative? && @live < @most

          @live += 1
          true
        end

        def start
          Deadline.replace(nil) { @pool.submit { WorkerThread.new(self).run } }
        rescue Exception # standard:disable Lint/RescueException
          left(false)
          raise
        end
      end
    end
  end
end

require_relative "worker_thread"
