# frozen_string_literal: true

require_relative "idle_connections"

module Raffia
  class Server
    class Worker
      # Ends the connections of a worker without cutting off a request.
      #
      # Requests in flight may finish within the grace; their responses say that the connection
      # closes. Connections that are idle for {QUIET} seconds are ended ({IdleConnections}).
      #
      # @api private
      class GracefulShutdown
        QUIET = 1
        TICK = 0.05
        private_constant :QUIET, :TICK

        def initialize(worker, grace)
          @finish = Clock.now + (grace || Float::INFINITY)
          @connections = worker.connections
          @context = worker.context
          @idle = IdleConnections.new(@connections, QUIET)
        end

        # Yields seconds to wait for another command.
        def run(&)
          @connections.each(&:close_after_response)
          @context.drain.begin { |error| @context.log.error(error) }
          @idle.stop_reading until @connections.empty? || over?(&)
          cancel
        end

        # Seconds of grace left; nil: no limit.
        def left = @finish.infinite? ? nil : [@finish - Clock.now, 0].max

        # Waits for other tasks of the application. Returns false when time is over.
        def outlast(&)
          sleep(0) # tasks that were cancelled just now end
          until alone?
            return false if over?(&)
          end
          true
        end

        private

        # The alarm ends with its scope, residents such as the loop of actors with the loop.
        def alone?
          scheduler = Fiber.scheduler
          scheduler.stats[:parked] <= (Alarm.of(scheduler).running? ? 1 : 0) +
            (Raffia::Run::Session.current&.residents || 0)
        end

        # Waits for a tick.
        def over?
          left = @finish - Clock.now
          @finish = Clock.now if left.positive? && yield([TICK, left].min) == :now
          left <= 0 || Clock.now >= @finish
        end

        def cancel
          busy = @connections.cycles.size
          @context.log.warn("gives up #{busy} requests that did not end in time") if busy > 0
          @connections.cancel
        end
      end
    end
  end
end
