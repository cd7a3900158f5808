# frozen_string_literal: true

require_relative "../errors"
require_relative "../admission"
require_relative "request_id"

module Raffia
  class Server
    module HTTP
      # The response to a request that raised, was refused, or ran out of time.
      #
      # @api private
      class ErrorResponse
        TEXT = {"content-type" => "text/plain; charset=utf-8"}.freeze
        private_constant :TEXT

        # @return [Array(Integer, Hash), nil] status and headers; nil: another response stands
        attr_reader :head

        # @param hijack [Hijack, nil] of the request
        def initialize(context, stream, env, hijack)
          @context = context
          @telemetry = context.telemetry
          @stream = stream
          @env = env
          @hijack = hijack
        end

        # @return [Boolean] whether the request was refused for what the client sent
        def refused? = !!@refused

        # @return [Boolean] whether the client knows where the response ends
        def deliver(error)
          case error
          when Disconnected then @telemetry.client_gone
          when Refused then refuse(error)
          when Admission::ConcurrencyLimiter::Busy then busy(error)
          when Admission::TimeLimit::Passed then timed_out(error)
          when Cancel then cancelled
          else failed(error)
          end
        end

        private

        def refuse(error)
          @refused = @stream.closing = true
          @telemetry.refused(error.status)
          send_text(error.status, "#{error.reason}\n") && false
        end

        def busy(error)
          @telemetry.busy(error)
          send_text(503, "Service Unavailable\n", "retry-after" => error.retry_after.to_s)
        end

        def timed_out(error)
          @telemetry.counters.count(:timed_out)
          @context.log.warn("request #{RequestId.of(@env)} (#{target}) was interrupted: " \
            "#{Log.full(error)}")
          send_text(504, "Gateway Timeout\n")
        end

        # @return [false]
        def cancelled
          @stream.closing = true
          send_text(503, "Service Unavailable\n") && false
        end

        def failed(error)
          id = RequestId.of(@env)
          @telemetry.counters.count(:app_errors)
          @context.log.error("request #{id} (#{target}): #{Log.full(error)}")
          @context.report_error(error, @env)
          send_text(500, "Internal Server Error\n", "x-request-id" => id)
        end

        def target = "#{@env["REQUEST_METHOD"]} #{@env["PATH_INFO"]}"

        # A response that has ended stands: only its body's `close` can have raised.
        # @return [Boolean] false: the client has seen a part of another response
        def send_text(status, text, headers = {})
          return false if @hijack&.used? || !@stream.retract
          return true if @stream.status.positive?

          headers = {**TEXT, **headers}
          @stream.answer([status, headers, [text]]).tap { @head = [status, headers] }
        rescue Disconnected
          false
        end
      end
    end
  end
end
