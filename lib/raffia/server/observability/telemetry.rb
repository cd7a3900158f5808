# frozen_string_literal: true

require_relative "access_log"
require_relative "../admission/concurrency_limiter"
require_relative "metrics/counters"
require_relative "heartbeat"
require_relative "../http/request_id"

module Raffia
  class Server
    # Access log, metrics and requests in flight of a server.
    #
    # @api private
    module Observability
      # Records the requests of a worker: in counters always, in the access log if there is one.
      #
      # @api private
      class Telemetry
        # @return [Metrics::Counters]
        attr_reader :counters
        # @return [AccessLog, nil]
        attr_reader :access_log
        # @return [Heartbeat, nil] nil before {start}
        attr_reader :heartbeat

        # @raise [ConfigError] when the access log cannot be opened
        def initialize(options, log:, counters: Metrics::Counters.alone)
          @counters = counters
          @threads = options.threads if options.threaded?
          return unless options.access_log

          @access_log = AccessLog.new(options.access_log, format: options.access_log_format,
            log: log) { |lines| counters.count(:log_lines_lost, lines) }
        end

        # A request begins.
        # @return [Integer] for {record}
        def begin = @counters.begin

        # A request has ended.
        # @param began [Integer] what {begin} returned
        # @param queued [Integer] microseconds
        # @param received [Integer] bytes
        # @param sent [Integer] bytes
        def record(env, stream, began, queued, received, sent)
          duration = @counters.finish(began, stream.status, queued, received, sent)
          log(env, stream.status, stream.body_sent, duration, queued) if @access_log
        end

        # The server has refused a request.
        # @param status [Integer] of the response
        def refused(status) = @counters.refused(status)

        # The server has refused what is no request, and has no env.
        # @param status [Integer] of the response
        # @param address [String] of the client
        def rejected(status, address)
          refused(status)
          log({"REMOTE_ADDR" => address}, status, 0, 0, -1) if @access_log
        end

        def busy(error)
          @counters.count(error.is_a?(Admission::ConcurrencyLimiter::Expired) ? :expired : :shed)
        end

        # The client left before it had its response.
        # @return [false]
        def client_gone
          @counters.count(:client_gone)
          false
        end

        # @param change [Integer] 1: a connection has opened, -1: it has closed
        def connections(change)
          @counters.change(:connections, change)
          @counters.count(:accepted) if change.positive?
        end

        # @param liveness [#beat, nil] is told that the loop turns
        # @return [Array<Task>]
        def start(scope, liveness, limiter)
          @heartbeat = Heartbeat.new(@counters, liveness, limiter, threads: @threads)
          [scope.spawn { @heartbeat.run },
            (scope.spawn { @access_log.run } if @access_log)].compact
        end

        # Opens the access log again.
        def reopen = @access_log&.reopen

        def close = @access_log&.close

        private

        def log(env, status, sent, duration, queued)
          id = HTTP::RequestId.of(env)
          @access_log.add(AccessLog::Entry.new(env, id, status, sent, duration, queued))
        end
      end
    end
  end
end
