# frozen_string_literal: true

require "timeout"
require_relative "../../pool"

module Raffia
  module Compat
    module Parallel
      # A worker that is the driver's own thread. It is posted its first item and goes on by itself,
      # item by item: what the pool does for chunks that travel costs more than many an item.
      #
      # @api private
      class ThreadSeat < Pool::Seat
        # @param request [Request]
        # @param desk [Desk] hears of each item
        def initialize(request, desk)
          super(nil)
          @request = request
          @desk = desk
        end

        # @return [Array(Turn, Pool::Reply), nil] only when one has failed there is anything left to
        #   tell
        def collect
          turn = @posted.first
          while turn
            @desk.finished(turn, @request.perform(turn.item, turn.first))
            @posted[0] = turn = @desk.following
          end
          @posted.clear && nil
        rescue Cancel, ::Timeout::ExitException
          raise # as Pool::Work: being told to stop is not a failure of the item
        rescue Exception => error # standard:disable Lint/RescueException
          @posted.clear
          [turn, Pool::Reply.new(nil, Pool::Work.failure(error, 0))]
        end

        def subject(turn, _index) = turn.item
      end
    end
  end
end
