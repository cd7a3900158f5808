# frozen_string_literal: true

module Raffia
  class Actor
    module Executors
      # One of the {WorkerThreads}: it runs orders until it is not needed any more.
      class WorkerThread
        KEY = :raffia_actor_worker
        private_constant :KEY

        # The worker of the running thread, nil in the middle of an order ({aside}).
        def self.current = ::Thread.current[KEY]

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

        # Keeps an order until the present one is done, unless others wait for a thread. Returns
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
