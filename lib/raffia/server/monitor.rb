# frozen_string_literal: true

require_relative "access_log"
require_relative "metrics/ledger"
require_relative "request_id"

module Raffia
  class Server
    # What a worker notes of its requests: numbers always, lines of a log when that is wanted.
    #
    # @api private
    class Monitor
      # @return [Metrics::Ledger]
      attr_reader :ledger
      # @return [AccessLog, nil]
      attr_reader :access_log

      # @param options [Options]
      # @param log [Logger]
      # @param ledger [Metrics::Ledger]
      # @raise [ConfigError] when the access log cannot be opened
      def initialize(options, log:, ledger: Metrics::Ledger.alone)
        @ledger = ledger.open
        return unless options.access_log

        @access_log = AccessLog.new(options.access_log, format: options.access_log_format, log: log) { |lines| ledger.count(:log_lines_lost, lines) }
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
        @access_log&.add(AccessLog::Entry.new(env, RequestId.of(env), wire.status, wire.body_sent, duration, queued))
      end

      # What came was no request that can be served.
      # @param status [Integer] of the answer
      # @param address [String] of the client
      # @return [void]
      def refused(status, address)
        @ledger.refused(status)
        env = {"REMOTE_ADDR" => address}
        @access_log&.add(AccessLog::Entry.new(env, RequestId.of(env), status, 0, 0, -1))
      end

      # @param change [Integer] 1: a connection more, -1: one less
      # @return [void]
      def connections(change)
        @ledger.change(:connections, change)
        @ledger.count(:accepted) if change.positive?
      end
    end
  end
end
