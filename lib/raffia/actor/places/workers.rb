# frozen_string_literal: true

module Raffia
  class Actor
    module Places
      # Threads that wait for orders at a queue. They belong to a pool, which starts them; but what
      # a piece of work costs there (a future, its counts, its turn among others) is as much as the
      # waking of a thread, and nobody asks for it here.
      #
      # @api private
      class Workers
        # How many can be at work at a time. Those that wait for each other count, too.
        MOST = 1_000
        # How many stay when they have nothing to do. The others go back to their pool, which sends
        # them home after a while.
        READY = 16

        def initialize(most: MOST, ready: READY)
          @most = most
          @ready = ready
          @pool = Pool.new(on: :threads, workers: most)
          @guard = SpinLock.new
          start_over
          @fork = Fork.after_child { start_over }
        end

        # Has the block run in one of the threads.
        # @param ahead [Boolean] before what was submitted without this. Those that are at work may
        #   wait for it; and if each thread that gets free began with something else that will wait
        #   for it, too, there would be none left in the end
        # @return [void]
        # @raise [Closed]
        def submit(ahead: false, &order)
          start if @guard.hold { add(order, ahead) }
        end

        # @return [Integer] how many there are
        def threads = @live

        # @return [Boolean] whether orders wait for a thread
        def behind? = @free.negative?

        # They leave when they have done what there is.
        # @return [void]
        def close
          @fork.remove
          @guard.hold { @orders.close }
          @pool.shutdown(0)
        end

        # Called by a thread that has nothing to do.
        # @return [Boolean] whether it is to wait
        def stay? = !@guard.hold { @free += 1 if @free < @ready }.nil?

        # @return [Proc, nil] nil: there will be no more orders
        def wait = @orders.pop && @guard.hold { @ahead.shift || @others.shift }

        # A thread is not here any more.
        # @param waiting [Boolean] whether it waited
        # @return [void]
        def left(waiting)
          @guard.hold do
            @live -= 1
            @free -= 1 if waiting
          end
        end

        private

        # In a forked child there are no such threads.
        def start_over
          @orders = ::Thread::Queue.new # an element for each that is in one of these
          @ahead = []
          @others = []
          @live = 0
          @free = 0 # those that wait, less the orders that wait for one
        end

        # @return [Boolean] whether one more thread is wanted for it
        def add(order, ahead)
          raise Closed, "these threads have been sent home" if @orders.closed?

          (ahead ? @ahead : @others) << order
          @orders << true
          @free -= 1
          return false unless @free.negative? && @live < @most

          @live += 1
          true
        end

        def start
          Deadline.replace(nil) { @pool.submit { Worker.new(self).run } }
        rescue Exception # standard:disable Lint/RescueException
          left(false)
          raise
        end
      end
    end
  end
end

require_relative "worker"
