# frozen_string_literal: true

require_relative "../../process/watchdog"
require_relative "../observability/in_flight_requests"

module Raffia
  class Server
    class Admission
      # Replaces the worker when a request cannot be cancelled: it computes, blocks the loop, or
      # rescues the cancellation. The log has a backtrace first.
      #
      # While the loop turns, other requests may finish; else the process exits at once. Without a
      # supervisor the log line is all. A streamed response has no limit unless it blocks the loop.
      #
      # @api private
      class HardLimit
        STUCK = 71
        # Seconds without a heartbeat.
        SILENCE = 3
        private_constant :SILENCE

        def initialize(worker, limit, worker_context)
          @in_flight = Observability::InFlightRequests.new(worker)
          @context = worker.context
          @limit = limit
          @worker_context = worker_context
          @logged = {}
          @thread = ::Thread.current
          @watchdog = Process::Watchdog.new((limit / 4.0).clamp(0.01, 1)) { check }
        end

        def close = @watchdog.close

        private

        def check
          silence = Clock.now - @context.telemetry.heartbeat.at
          late = @in_flight.requests.reject(&:answered).take_while { |one| one.age >= @limit }
          late.each { |request| log(request) }
          if silence > SILENCE && (late.any? || silence > @limit) then exit_now(silence)
          elsif late.any? then retire
          else
            @logged.clear
          end
        end

        def log(request)
          return if @logged[request.began]

          @logged[request.began] = true
          @context.telemetry.counters.count(:killed)
          @context.log.error("request #{request} has taken #{request.age.round(1)} s, " \
            "more than hard_timeout allows. It is at:\n  #{request.backtrace.join("\n  ")}")
        end

        def retire
          @worker_context&.leave unless @retired
          @retired = true
        end

        def exit_now(silence)
          return unless @worker_context

          frames = @thread.backtrace.first(Observability::InFlightRequests::FRAMES)
          @context.log.fatal("worker #{@worker_context.index} ends: its loop has not turned for " \
            "#{silence.round(1)} s. Its thread is at:\n  #{frames.join("\n  ")}")
          ::Process.exit!(STUCK)
        end
      end
    end
  end
end
