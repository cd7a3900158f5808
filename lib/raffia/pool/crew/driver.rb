# frozen_string_literal: true

require_relative "../../base/error"

module Raffia
  class Pool
    # What each worker does: take a chunk, have it worked on, hand the reply in, until there is none
    # left. It runs in a thread or a fiber of the crew, or in the caller.
    #
    # The desk is who it works for: it has a +feed+, says whether a chunk is still wanted (+admit+),
    # and hears of replies (+complete+), of chunks that could not be handed over (+refuse+), of a
    # seat that is lost (+salvage+: whether to take another), of what made the driver give up
    # (+crash+), of its end (+left+) and of its thread's (+vacant+).
    #
    # @api private
    module Driver
      module_function

      # @param desk [Traversal, Pool]
      # @param seats [#call] makes a {Seat}
      # @yield [Proc] runs the serving; the crew may put something around it, but not around the
      #   seat's beginning and end
      # @return [void]
      # @raise [Cancel] whoever told us to stop is not waiting for news
      def run(desk, seats, &)
        nil while sit(desk, seats, &) == :again
      ensure
        desk.left
      end

      # From the taking of a seat to its end.
      # @return [Symbol, nil] :again when the seat was lost, and another one is to be taken
      def sit(desk, seats)
        seat = seats.call
        yield proc { serve(desk, seat) }
        ended = clean = true
        nil
      rescue Cancel
        ended = true
        raise
      rescue Exception => error # standard:disable Lint/RescueException
        ended = true
        return :again if seat && desk.salvage(error, seat)

        desk.crash(error, seat)
        nil
      ensure
        # Nothing but Thread#kill and Fiber#kill gets past these.
        desk.crash(killed(seat), seat) if seat && !ended
        seat&.leave(clean || false)
      end

      # @param wait [Boolean] whether to wait for chunks that are not there yet
      # @return [void]
      def serve(desk, seat, wait: true)
        feed = desk.feed
        while true
          while seat.ready? && (chunk = feed.take(wait: wait && seat.posted.empty?))
            post(desk, seat, chunk)
          end
          break if seat.posted.empty?

          desk.complete(*seat.collect)
        end
      end

      def killed(seat)
        chunk = seat.posted.first
        index = chunk && seat.killed_at
        what = chunk ? "while it worked on item #{index}" : "while it was idle"
        WorkerDied.new("a worker thread or fiber was killed #{what}: Thread.current.kill and " \
        "Fiber#kill end workers, use next to " \
          "end an item, or an exception to end the call", item: chunk &&
            seat.subject(chunk, index), index: index)
      end

      def post(desk, seat, chunk)
        chunk = desk.admit(chunk)
        seat.post(chunk) if chunk
      rescue NotDumpable, NotShareable => error
        desk.refuse(chunk, error)
      end
    end
  end
end
