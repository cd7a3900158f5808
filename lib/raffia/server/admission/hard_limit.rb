# frozen_string_literal: true

require_relative "../../process/lookout"
require_relative "../observability/in_flight_requests"

module Raffia
  class Server
    class Admission
      # What remains when a request cannot be cancelled, because it computes, or blocks the loop, or
      # does not want to: its worker is replaced. Where the loop still turns, the other requests may
      # end first; where it does not, nobody would get anything any more, and the process ends at
      # once. Before that it is said which request it was, and where.
      #
      # A request that the application has answered has no limit here: a stream may go on for hours,
      # unless it holds up the loop.
      #
      # Without a supervisor there is nobody to take over, so it is only said.
      #
      # @api private
      class HardLimit
        # Exit status of a worker that was stuck.
        STUCK = 71
        # Seconds without a pulse that are no accident.
        SILENCE = 3
        private_constant :SILENCE

        # @param worker [Worker]
        # @param limit [Numeric] seconds
        # @param seat [Object, nil] the supervisor's
        def initialize(worker, limit, seat)
          @in_flight = Observability::InFlightRequests.new(worker)
          @service = worker.service
          @limit = limit
          @seat = seat
          @said = {}
          @thread = ::Thread.current
          @lookout = Process::Lookout.new((limit / 4.0).clamp(0.01, 1)) { look }
        end

        # @return [void]
        def close = @lookout.close

        private

        def look
          silence = Clock.now - @service.monitor.pulse.at
          late = @in_flight.requests.reject(&:answered)
            .take_while { |request| request.age >= @limit }
          late.each { |request| say(request) }
          if silence > SILENCE && (late.any? || silence > @limit)
            give_up(silence)
          elsif late.any?
            leave
          else
            @said.clear
          end
        end

        def say(request)
          return if @said[request.began]

          @said[request.began] = true
          @service.monitor.ledger.count(:killed)
          @service.log.error("request #{request} has taken #{request.age.round(1)} s, more than " \
            "hard_timeout allows. It is at:\n  #{request.backtrace.join("\n  ")}")
        end

        def leave
          @seat&.leave unless @left
          @left = true
        end

        def give_up(silence)
          return unless @seat

          @service.log.fatal("worker #{@seat.index} ends: its loop has not turned for " \
          "#{silence.round(1)} s. Its thread is at:\n" \
            "  #{@thread.backtrace.first(Observability::InFlightRequests::FRAMES).join("\n  ")}")
          ::Process.exit!(STUCK)
        end
      end
    end
  end
end
