# frozen_string_literal: true

require_relative "pairs"

module Raffia
  module Compat
    module Parallel
      # A call without workers: in the caller, one item after the other.
      #
      # @api private
      class Direct
        # @param request [Request]
        def initialize(request)
          @request = request
          @work = request.work
        end

        # @return [Object] the value of the call
        def call
          before, ::Parallel.worker_number = ::Parallel.worker_number, 0
          results = all
          @request.results? ? results : @request.source
        rescue ::Parallel::Break => stop
          stop.value
        ensure
          ::Parallel.worker_number = before
        end

        private

        def all
          pairs = Pairs.new(@request)
          results = []
          while (chunk = pairs.take)
            results << one(*chunk.items.first)
          end
          results
        end

        def one(item, index)
          @request.hooks.start(item, index)
          result = @work.call(item, index)
          @request.hooks.finish(item, index, result)
          @request.hooks.advance(1)
          result if @request.results?
        end
      end
    end
  end
end
