# frozen_string_literal: true

module Raffia
  class Pool
    class Auto
      # A seat that is looked at: it takes no more chunks as soon as its watcher says so, and is
      # watched at each of them.
      #
      # @api private
      class WatchedSeat
        # @param seat [Seat]
        # @param watcher [#open?, #watch] says whether there may be another chunk, and runs the
        #   block that it is given
        def initialize(seat, watcher)
          @seat = seat
          @watcher = watcher
        end

        def ready? = @seat.ready? && @watcher.open?

        def collect = @watcher.watch { @seat.collect }

        def posted = @seat.posted

        def post(chunk) = @seat.post(chunk)

        def pid = @seat.pid

        def begun = @seat.begun

        def killed_at = @seat.killed_at

        def leave(clean) = @seat.leave(clean)

        def subject(chunk, index) = @seat.subject(chunk, index)
      end
    end
  end
end
