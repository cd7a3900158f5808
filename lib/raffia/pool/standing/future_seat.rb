# frozen_string_literal: true

require_relative "../seat"

module Raffia
  class Pool
    # A place in a long-lived pool whose blocks run in its driver: what waits there are futures, and
    # they run themselves.
    #
    # @api private
    class FutureSeat < Seat
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

      def killed_at
        @posted.first.first + (@posted.first.items.index { |future| !future.done? } || 0)
      end

      def subject(chunk, index) = chunk.at(index).subject
    end
  end
end
