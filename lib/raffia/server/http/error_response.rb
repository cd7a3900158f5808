# frozen_string_literal: true

require_relative "../error"
require_relative "../admission"
require_relative "../error_page"
require_relative "grpc"
require_relative "request_id"

module Raffia
  class Server
    module HTTP
      # Response to a request that raised, was refused, or ran out of time.
      #
      # @api private
      class ErrorResponse
        TEXT = {"content-type" => "text/plain; charset=utf-8"}.freeze
        UNCACHED = {"cache-control" => "no-store"}.freeze
        private_constant :TEXT, :UNCACHED

        # Status and headers; nil when another response has been sent.
        attr_reader :head

        def initialize(context, stream, env, hijack)
          @context = context
          @counters = context.telemetry.counters
          @stream = stream
          @env = env
          @hijack = hijack
        end

        def refused? = !!@refused

        # Returns whether the client knows where the response ends.
        def deliver(error)
          case error
          when Disconnected then client_gone
          when Refused then refuse(error)
          when Admission::ClientLimiter::Exceeded then limited(error)
          when Admission::ConcurrencyLimiter::Busy then busy(error)
          when Admission::TimeLimit::Passed then timed_out(error)
          when Cancel then cancelled
          else failed(error)
          end
        end

        private

        def client_gone
          @counters.count(:client_gone)
          false
        end

        def refuse(error)
          @refused = @stream.closing = true
          @counters.refused(error.status)
          send_text(error.status, "#{error.reason}\n") && false
        end

        def limited(error)
          @counters.count(:clients_limited)
          send_text(429, "Too Many Requests\n", "retry-after" => error.retry_after.to_s)
        end

        def busy(error)
          @counters.count(error.is_a?(Admission::ConcurrencyLimiter::Expired) ? :expired : :shed)
          send_text(503, "Service Unavailable\n", "retry-after" => error.retry_after.to_s)
        end

        def timed_out(error)
          @counters.count(:timed_out)
          @context.log.warn("request #{RequestId.of(@env)} (#{target}) was interrupted: " \
            "#{Log.full(error)}")
          send_text(504, "Gateway Timeout\n")
        end

        def cancelled
          @stream.closing = true
          send_text(503, "Service Unavailable\n") && false
        end

        def failed(error)
          id = RequestId.of(@env)
          @counters.count(:app_errors)
          @context.log.error("request #{id} (#{target}): #{Log.full(error)}")
          @context.report_error(error, @env)
          (send_details(error, id) unless GRPC.request?(@env)) ||
            send_text(500, "Internal Server Error\n", "x-request-id" => id)
        end

        # Nil when this client must not see details, or none can be had.
        def send_details(error, id)
          return unless ErrorPage.allowed?(@context.options, @env) { peer }

          page = ErrorPage.new(error, @env).response(id)
        rescue => failure
          @context.log.error("no page for the error of request #{id}: #{Log.full(failure)}")
          nil
        else
          send_response(page)
        end

        def peer
          Native.peer(@stream.io.to_io)
        rescue SystemCallError, IOError
          nil
        end

        def target = "#{@env["REQUEST_METHOD"]} #{@env["PATH_INFO"]}"

        # A complete response stays: only its body's `close` can have raised. Returns false when the
        # client has seen part of another response.
        def send_text(status, text, headers = {})
          return send_grpc(GRPC.response(status, text.chomp)) if GRPC.request?(@env)

          page = @context.status_pages[status]
          own = page ? {"content-type" => page.first, **UNCACHED} : TEXT
          send_response([status, {**own, **headers}, [page ? page.last : text]])
        end

        # Trailers say it when the head has been sent.
        def send_grpc(response)
          return send_response(response) if @hijack&.used? || @stream.reset_response
          return false unless @stream.multiplexed?

          @stream.finish(response[1].except("content-type"))
          true
        rescue Disconnected, BadResponse
          false
        end

        def send_response(response)
          return false if @hijack&.used? || !@stream.reset_response
          return true if @stream.status.positive?

          @stream.answer(response).tap { @head = response.first(2) }
        rescue Disconnected
          false
        end
      end
    end
  end
end
