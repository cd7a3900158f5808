# frozen_string_literal: true

require_relative "../errors"

module Raffia
  module Jobs
    class Worker
      # The start of a worker. It can wait for a store that is away: a database may come up later
      # than its workers, and a worker that died is replaced also while the store is away.
      #
      # @api private
      class Enrollment
        # @param patience [Patience]
        # @param orders [Thread::Queue] for the worker, which end the wait
        # @param wait [Boolean] whether it waits, or raises
        # @yield once: when the worker is enrolled, or has begun to wait
        def initialize(patience, orders, wait:, &begun)
          @patience = patience
          @orders = orders
          @wait = wait
          @begun = begun
        end

        # @param worker [Worker]
        # @yield enrolls it
        # @return [Boolean] false: it was told to stop before
        # @raise [StoreUnavailable]
        def call(worker, &)
          yield
          true
        rescue StoreUnavailable => error
          raise if !@wait || error.is_a?(StoreRefused)

          tell
          again(worker, &)
        end

        # @return [void]
        def tell
          @begun&.call
          @begun = nil
        end

        private

        def again(worker, &)
          done = @patience.keep(-> { worker.stopping? }, nap: method(:nap)) { attempt(&) }
          raise done if done.is_a?(StoreRefused)

          @orders.push(:quiet) if @quiet
          !done.nil?
        end

        def attempt
          yield
          true
        rescue StoreRefused => error
          error
        end

        # To be quiet is for later.
        def nap(seconds)
          @quiet = true if @orders.pop(timeout: seconds) == :quiet
        end
      end
    end
  end
end
