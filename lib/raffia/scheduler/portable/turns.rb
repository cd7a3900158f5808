# frozen_string_literal: true

module Raffia
  class Scheduler
    class Portable
      # Polls the engine and counts: a turn is the time between two polls.
      #
      # @api private
      class Turns
        # `interval`: switches between two polls of I/O.
        def initialize(interval)
          @interval = interval
          @switches = @count = @most_ready = 0
          @longest = 0.0
          @started = Clock.now
        end

        def restart = @started = Clock.now

        # Counts a switch. Whether I/O is to be polled.
        def due? = (@switches += 1) > @interval

        def poll(engine, limit)
          @longest = [@longest, Clock.now - @started].max
          @count += 1
          @switches = 0
          ready = engine.poll(limit)
          @most_ready = ready if ready > @most_ready
          ready
        ensure
          restart
        end

        def stats = {turns: @count, deepest: @most_ready, longest_turn: @longest}
      end
    end
  end
end
