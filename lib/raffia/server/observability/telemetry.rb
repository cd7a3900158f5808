# frozen_string_literal: true

require_relative "access_log"
require_relative "metrics/counters"
require_relative "heartbeat"

module Raffia
  class Server
    # Access log, metrics and requests in flight.
    #
    # @api private
    module Observability
      # Counters of a worker, its heartbeat, and its access log if there is one.
      #
      # @api private
      class Telemetry
        attr_reader :counters, :access_log
        # Nil before {start}.
        attr_reader :heartbeat

        # Raises ConfigError when the access log cannot be opened.
        def initialize(options, log:, counters: Metrics::Counters.alone)
          @counters = counters
          @threads = options.most_threads if options.threaded?
          return unless options.access_log

          @access_log = AccessLog.new(options.access_log, format: options.access_log_format,
            log: log) { |lines| counters.count(:log_lines_lost, lines) }
        end

        # Bytes that are no request were refused, so there is no env.
        def rejected(status, address)
          @counters.refused(status)
          @access_log&.record({"REMOTE_ADDR" => address}, status, 0, 0, -1)
        end

        # Returns the tasks. `liveness` gets a `beat` each second.
        def start(scope, liveness, limiter, zombies = nil)
          @heartbeat = Heartbeat.new(@counters, liveness, limiter, threads: @threads,
            zombies: zombies)
          [scope.spawn { @heartbeat.run },
            (scope.spawn { @access_log.run } if @access_log)].compact
        end
      end
    end
  end
end
