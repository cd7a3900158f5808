# frozen_string_literal: true

require "forwardable"

module Raffia
  class Pool
    class Auto
      # A seat that is looked at: it takes no more chunks as soon as its watcher says so, and tells it of each.
      #
      # @api private
      class WatchedSeat
        extend Forwardable

        def_delegators :@seat, :posted, :post, :pid, :begun, :leave, :subject

        # @param seat [Seat]
        # @param open [#call] whether it takes another chunk
        # @param watch [#call] runs the block it is given
        def initialize(seat, open:, watch:)
          @seat = seat
          @open = open
          @watch = watch
        end

        def ready? = @seat.ready? && @open.call

        def collect = @watch.call { @seat.collect }
      end
    end
  end
end
