# frozen_string_literal: true

require_relative "../../base/clock"
require_relative "../../task"

module Raffia
  class Server
    class Worker
      # How a worker's connections come to their end. Nothing is cut off between a request and its
      # response: whoever is waited for has until the grace is over, and is told that the connection
      # will be closed. Whoever is silent is taken to be idle after {QUIET} seconds: until then his
      # next request may be on its way.
      #
      # An idle connection is not closed but shut for reading. What has come by then is still read
      # and served, and only then is there the end: the kernel decides which of the two was first,
      # so no request can get lost in between.
      #
      # @api private
      class GracefulShutdown
        # Seconds.
        QUIET = 1
        TICK = 0.05
        private_constant :QUIET, :TICK

        # @param grace [Numeric, nil] seconds
        def initialize(worker, grace)
          @finish = Clock.now + (grace || Float::INFINITY)
          @worker = worker
          @service = worker.service
          @silent = {}.compare_by_identity
        end

        # @yieldparam seconds [Numeric] to wait for another order
        # @yieldreturn [Symbol, nil]
        def run(&)
          connections.each_key(&:conclude)
          @service.drain.begin { |error| @service.log.error(error) }
          hang_up until connections.empty? || over?(&)
          cut_off
        end

        # @return [Numeric, nil] seconds until the grace is over
        def left = @finish.infinite? ? nil : [@finish - Clock.now, 0].max

        # The same for what the application has started beside its requests. It knows of no end, so
        # it may be there for ever.
        # @return [Boolean] whether it has ended
        def outlast(&)
          sleep(0) # for those who have been told to end just now
          until alone?
            return false if over?(&)
          end
          true
        end

        private

        def connections = @worker.connections

        # The alarm is our scope's, and ends with it; residents, as the host of actors is one, end
        # with the loop.
        def alone?
          scheduler = Fiber.scheduler
          scheduler.stats[:parked] <=
            (Alarm.of(scheduler).running? ? 1 : 0) + (Raffia::Run::Session.current&.residents || 0)
        end

        # Waits for a moment.
        def over?
          left = @finish - Clock.now
          @finish = Clock.now if left.positive? && yield([TICK, left].min) == :now
          left <= 0 || Clock.now >= @finish
        end

        def hang_up
          now = Clock.now
          connections.keys.each do |connection|
            mark = connection.silence or next @silent.delete(connection)
            since, last = @silent[connection]
            next @silent[connection] = [now, mark] unless last == mark

            connection.hang_up if now - since >= QUIET
          end
        end

        def cut_off
          busy = connections.each_key.count(&:env)
          @service.log.warn("gives up #{busy} requests that did not end in time") if busy > 0
          connections.values.each { |task| task&.cancel(:drain) }
        end
      end
    end
  end
end
