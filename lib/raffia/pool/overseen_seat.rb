# frozen_string_literal: true

require "delegate"
require_relative "../base/clock"
require_relative "../base/error"
require_relative "item_context"

module Raffia
  class Pool
    # A seat elsewhere whose items may take only so long, whatever they do: the driver looks at the
    # clock while it waits for the reply. When an item overruns, it gives the seat up, which ends a
    # worker process by force and leaves a Ractor to itself.
    #
    # A worker process keeps the limit by itself first, where Ruby can interrupt it, so that
    # +ensure+ blocks run; then this is for what cannot be interrupted, and comes after some grace.
    #
    # @api private
    class OverseenSeat < SimpleDelegator
      # How often to look whether the worker is at another item.
      LOOK = 0.1

      # @param seat [Seat] of which +begun+ says at which item the worker is
      # @param limit [Numeric, nil] seconds for an item; nil for a seat as it is
      # @param grace [Numeric] seconds beyond the limit
      # @return [Seat]
      def self.over(seat, limit, grace: 0) = limit ? new(seat, limit, grace) : seat

      def initialize(seat, limit, grace)
        super(seat)
        @limit = limit
        @grace = grace
      end

      # As {Seat#collect}.
      # @raise [TimeoutError] about an item that takes too long
      def collect
        watch
        super
      end

      private

      def watch
        item = begun
        late = Clock.now + @limit + @grace
        until reply?((late - Clock.now).clamp(0, LOOK))
          if item && begun == item
            raise overrun(item) if Clock.now >= late
          else
            item = begun
            late = Clock.now + @limit + @grace
          end
        end
      end

      def overrun(index)
        chunk = posted.find { |one| one.cover?(index) }
        ItemContext.mark(TimeoutError.new(seconds: @limit), subject(chunk, index), index)
      end
    end
  end
end
