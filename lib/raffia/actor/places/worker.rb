# frozen_string_literal: true

module Raffia
  class Actor
    module Places
      class Workers
        # One of the threads.
        #
        # @api private
        class Worker
          KEY = :raffia_actor_worker
          private_constant :KEY

          # @return [Worker, nil] whose order is all that the running fiber does
          def self.current = ::Thread.current[KEY]

          # Runs the block in the middle of an order.
          # @return [Object] the block's value
          def self.aside
            worker = current
            ::Thread.current[KEY] = nil
            yield
          ensure
            ::Thread.current[KEY] = worker
          end

          # @param workers [Workers]
          def initialize(workers)
            @workers = workers
            @next = nil
            @waiting = false
          end

          # Does what there is to do.
          # @return [void]
          def run
            ::Thread.current[KEY] = self
            Breakable.covered { work }
          ensure
            ::Thread.current[KEY] = nil
            @workers.left(@waiting)
          end

          # Keeps an order for when this one's is done, unless others wait for a thread.
          # @return [Boolean] whether it does
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
end
