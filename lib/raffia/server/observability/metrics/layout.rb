# frozen_string_literal: true

module Raffia
  class Server
    module Observability
      module Metrics
        # Positions of the numbers in a worker's part of the shared memory. Parts outlive their
        # workers: counters only grow, gauges are those of the present worker.
        #
        # @api private
        module Layout
          BUCKETS = Native::SharedCounters::BOUNDS.size + 1
          # Each histogram ends with its sum.
          HISTOGRAM = BUCKETS + 1
          REQUESTS = 0
          CLASSES = 1 # responses 1xx to 5xx
          RECEIVED = 6
          SENT = 7
          DURATION = 8
          QUEUED = DURATION + HISTOGRAM

          # Limits of HTTP/2 that a client has exceeded.
          ABUSE = %w[resets provoked_resets pings settings empty_frames priorities continuations head
            overhead window_updates queue].freeze
          HTTP2 = [:h2_resets_received, :h2_resets_sent,
            *ABUSE.map { |kind| :"h2_abuse_#{kind}" }].freeze
          # Counters of moved connections, by way.
          MOVED = {idle: :moved_idle, accepted: :moved_accepted, waiting: :moved_waiting}.freeze
          COUNTED = (%i[accepted shed expired timed_out killed app_errors client_gone
            log_lines_lost clients_limited connections_limited collections
            collection_microseconds] + MOVED.values + HTTP2).freeze
          STATUSES = [400, 408, 411, 413, 414, 417, 421, 426, 431, 501, 503, 505].freeze
          COUNTER = COUNTED.each_with_index
            .to_h { |name, index| [name, Native::SharedCounters::REQUEST_METRICS + index] }.freeze
          REFUSALS = Native::SharedCounters::REQUEST_METRICS + COUNTED.size
          REFUSAL = STATUSES.each_with_index.to_h { |status, index| [status, REFUSALS + index] }
            .freeze
          OTHER_REFUSAL = REFUSALS + STATUSES.size

          GAUGES = %i[pid in_flight waiting connections loop_lag longest_turn threads
            threads_busy threads_zombie longest_wait occupancy].freeze
          GAUGE = GAUGES.each_with_index.to_h { |name, index| [name, OTHER_REFUSAL + 1 + index] }
            .freeze
          # Whole cache lines, so that workers do not share one.
          SIZE = (OTHER_REFUSAL + 1 + GAUGES.size + 7) / 8 * 8
        end
      end
    end
  end
end
