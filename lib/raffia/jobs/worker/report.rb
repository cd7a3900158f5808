# frozen_string_literal: true

require_relative "../errors"

module Raffia
  module Jobs
    class Worker
      # What a store has, for monitoring.
      #
      # @api private
      class Report
        # Queues that are told of, the longest ones: an answer to the supervisor is one message.
        QUEUES = 200

        # @param store [Store]
        # @param trouble [String, nil] why the worker could not write to it
        def initialize(store, trouble)
          @store = store
          @trouble = trouble
        end

        # @return [Hash{String => Object}]
        def to_h
          {"store" => @store.url, "error" => @trouble, "counts" => counts, "queues" => queues}
        rescue StoreUnavailable => error
          {"store" => @store.url, "error" => @trouble || error.message}
        end

        private

        def counts = @store.counts.transform_keys(&:to_s)

        def queues
          @store.queues.max_by(QUEUES) { |queue| queue["size"] }.sort_by { |queue| queue["name"] }
        end
      end
    end
  end
end
