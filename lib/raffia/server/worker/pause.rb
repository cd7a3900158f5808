# frozen_string_literal: true

require_relative "idle_connections"

module Raffia
  class Server
    class Worker
      # Time in which a worker takes no requests, because a worker with newer code is about to take
      # over: clients that connect wait in the kernel's queue until then, or until the time is over.
      #
      # @api private
      class Pause
        # Seconds without bytes after which a connection is idle, and those between two looks.
        QUIET = 0.1
        TICK = 0.05
        private_constant :QUIET, :TICK

        def initialize(acceptors, connections)
          @acceptors = acceptors
          @connections = connections
          @finish = nil
        end

        def active? = !@finish.nil?

        # Again while it lasts, too.
        def begin(seconds)
          @idle = IdleConnections.new(@connections, QUIET) unless active?
          @finish = Clock.now + seconds
          @acceptors.stop
          @connections.each(&:close_after_response)
        end

        # Seconds to the next {step}; nil: none is due.
        def wait = (TICK if active?)

        # Ends idle connections: their clients connect anew. Returns whether the time is over.
        def step
          @idle.stop_reading
          Clock.now >= @finish
        end

        def end = @finish = @idle = nil
      end
    end
  end
end
