# frozen_string_literal: true

require_relative "access_log"
require_relative "../admission/concurrency_limiter"
require_relative "metrics/counters"
require_relative "heartbeat"
require_relative "../http/request_id"

module Raffia
  class Server
    module Observability
      # What a worker notes of its requests: numbers always, lines of a log when that is wanted.
      #
      # @api private
      class Telemetry
        # @return [Metrics::Counters]
        attr_reader :ledger
        # @return [AccessLog, nil]
        attr_reader :access_log
        # @return [Heartbeat, nil] nil before {start}
        attr_reader :pulse

        # @param options [Options]
        # @param log [Logger]
        # @param ledger [Metrics::Counters]
        # @raise [ConfigError] when the access log cannot be opened
        def initialize(options, log:, ledger: Metrics::Counters.alone)
          @ledger = ledger
          @threads = options.threads if options.threaded?
          return unless options.access_log

          @access_log = AccessLog.new(options.access_log, format: options.access_log_format,
            log: log) { |lines| ledger.count(:log_lines_lost, lines) }
        end

        # A request begins.
        # @return [Integer] for {over}
        def begin = @ledger.begin

        # It has ended.
        # @param queued [Integer] microseconds
        # @param received [Integer] bytes
        # @param sent [Integer] bytes
        # @return [void]
        def over(env, wire, began, queued, received, sent)
          duration = @ledger.finish(began, wire.status, queued, received, sent)
          @access_log&.add(AccessLog::Entry.new(env, HTTP::RequestId.of(env), wire.status,
            wire.body_sent,
            duration, queued))
        end

        # @param status [Integer] of the answer to a request that cannot be taken
        # @return [void]
        def refused(status) = @ledger.refused(status)

        # The same for what was no request at all.
        # @param address [String] of the client
        # @return [void]
        def turned_away(status, address)
          refused(status)
          env = {"REMOTE_ADDR" => address}
          @access_log&.add(AccessLog::Entry.new(env, HTTP::RequestId.of(env), status, 0, 0, -1))
        end

        # @param error [Admission::ConcurrencyLimiter::Busy]
        # @return [void]
        def busy(error)
          @ledger.count(error.is_a?(Admission::ConcurrencyLimiter::Expired) ? :expired : :shed)
        end

        # The client has gone before it had its response.
        # @return [false]
        def gone
          @ledger.count(:client_gone)
          false
        end

        # @param change [Integer] 1: a connection more, -1: one less
        # @return [void]
        def connections(change)
          @ledger.change(:connections, change)
          @ledger.count(:accepted) if change.positive?
        end

        # Starts what it does beside the requests.
        # @param scope [Scope]
        # @param heart [#beat, nil] is told that the loop turns
        # @param gate [Admission::ConcurrencyLimiter, nil]
        # @return [Array<Task>]
        def start(scope, heart, gate)
          @pulse = Heartbeat.new(@ledger, heart, gate, threads: @threads)
          [scope.spawn { @pulse.run }, (scope.spawn { @access_log.run } if @access_log)].compact
        end

        # Opens the access log anew.
        # @return [void]
        def reopen = @access_log&.reopen

        # @return [void]
        def close = @access_log&.close
      end
    end
  end
end
