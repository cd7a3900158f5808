# frozen_string_literal: true

module Raffia
  class Actor
    module Executors
      # One of the {WorkerThreads}: it runs orders until it is not needed any more.
      class WorkerThread
        KEY = :raffia_actor_worker
        private_constant :KEY

        # Returns whose order is all that the running fiber does.
        def self.current = ::Thread.current[KEY]

        # Runs the block in the middle of an order. Returns the block's value.
        def self.aside
          worker = current
          ::Thread.current[KEY] = nil
          yield
        ensure
          ::Thread.current[KEY] = worker
        end

        def initialize(workers)
          @workers = workers
          @next = nil
          @waiting = false
        end

        def run
          ::Thread.current[KEY] = self
          InterruptScope.protect { work }
        ensure
          ::Thread.current[KEY] = nil
          @workers.left(@waiting)
        end

        # Keeps an order for when this one's is done, unless others wait for a thread. Returns
        # whether it does.
        def follow(order)
          return false if @workers.behind?

          @next = order
          true
        end

        private

        def work
          while (order = follower || take)
            order.call
          end
        end

        def follower = @next.tap { @next = nil }

        def take
          return unless @workers.stay?

          @waiting = true
          order = @workers.wait
          @waiting = false
          order
        end
      end
    end
  end
end
