# frozen_string_literal: true

require_relative "item_feed"
require_relative "worker_slots"

module Raffia
  module Compat
    module Parallel
      # A call without workers: runs in the caller, item by item.
      #
      # @api private
      class InlineCall
        def initialize(request)
          @request = request
          @hooks = request.hooks
        end

        def call
          before, WorkerSlots.number = WorkerSlots.number, 0
          all || @request.source
        rescue ::Parallel::Break => stop
          stop.value
        ensure
          WorkerSlots.number = before
        end

        private

        def all
          feed = ItemFeed.new(@request)
          results = [] if @request.results?
          while (entry = feed.take)
            result = one(entry.item, entry.first)
            results << result if results
          end
          results
        end

        def one(item, index)
          @hooks.start(item, index) if @hooks.start?
          result = @request.perform(item, index)
          @hooks.ended(item, index, result) if @hooks.wanted?
          result
        end
      end
    end
  end
end
