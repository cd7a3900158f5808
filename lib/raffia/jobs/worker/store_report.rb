# frozen_string_literal: true

require_relative "../store_state"

module Raffia
  module Jobs
    class Worker
      # Reports the state of a store for monitoring: whether it can be written, counts, queues.
      # @api private
      class StoreReport
        # The block returns why the worker cannot write to it.
        def initialize(store, &write_error)
          @store = store
          @state = StoreState.new(store)
          @write_error = write_error
        end

        def to_h
          error = @write_error.call
          {"store" => @store.url, "error" => error, **@state.to_h,
           "scaling" => @state.autoscaling.to_h}
        rescue StoreUnavailable => failure
          {"store" => @store.url, "error" => error || failure.message}
        end

        # Yields it in a thread, because an unavailable store takes its time, and one at a time.
        def later
          return unless @future.nil? || @future.done?

          @pool ||= Pool.new(on: :threads, workers: 1, idle: nil)
          @future = @pool.submit { yield to_h }
        end

        def close = @pool&.terminate
      end
    end
  end
end
