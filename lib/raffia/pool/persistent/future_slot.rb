# frozen_string_literal: true

require_relative "../worker_slot"

module Raffia
  class Pool
    module Persistent
      # A slot for futures, which run themselves in its worker loop.
      class FutureSlot < WorkerSlot
        # @yieldparam future [Future] to be run
        def initialize(&serve)
          super(nil)
          @serve = serve
        end

        # @return [Array(Chunk, nil)] without a reply: a future knows its own outcome
        def collect
          chunk = @posted.first
          chunk.items.each(&@serve)
          @posted.shift
          [chunk, nil]
        end

        def subject(chunk, index) = chunk.at(index).subject

        private

        def killed_at(chunk) = chunk.first + (chunk.items.index { |future| !future.done? } || 0)
      end
    end
  end
end
