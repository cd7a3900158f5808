# frozen_string_literal: true

module Raffia
  module Jobs
    class Worker
      # Reports the state of a store for monitoring: whether it can be written, counts, queues.
      # @api private
      class StoreReport
        # Queues in a report, the longest ones: an answer to the supervisor is one message.
        QUEUES = 200
        private_constant :QUEUES

        # The block returns why the worker cannot write to it.
        def initialize(store, &write_error)
          @store = store
          @write_error = write_error
        end

        def to_h
          error = @write_error.call
          {"store" => @store.url, "error" => error, "counts" => counts, "queues" => queues}
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

        private

        def counts = @store.counts.transform_keys(&:to_s)

        def queues
          @store.queues.max_by(QUEUES) { |queue| queue["size"] }.sort_by { |queue| queue["name"] }
        end
      end
    end
  end
end
