# frozen_string_literal: true

require_relative "../../../native"

module Raffia
  class Server
    module Observability
      module Metrics
        # The place of each number in a lane of the shared memory. Lanes outlive their workers, so
        # counters only grow; gauges are the present worker's.
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

          # Counted beside requests.
          COUNTED = %i[accepted shed expired timed_out killed app_errors client_gone log_lines_lost
            collections collection_microseconds].freeze
          # Responses to requests that the server refuses.
          STATUSES = [400, 408, 411, 413, 414, 417, 421, 426, 431, 501, 503, 505].freeze
          COUNTER = COUNTED.each_with_index
            .to_h { |name, index| [name, Native::SharedCounters::REQUEST_METRICS + index] }.freeze
          REFUSALS = Native::SharedCounters::REQUEST_METRICS + COUNTED.size
          REFUSAL = STATUSES.each_with_index.to_h { |status, index| [status, REFUSALS + index] }
            .freeze
          OTHER_REFUSAL = REFUSALS + STATUSES.size

          GAUGES = %i[pid in_flight waiting connections loop_lag longest_turn threads
            threads_busy].freeze
          GAUGE = GAUGES.each_with_index.to_h { |name, index| [name, OTHER_REFUSAL + 1 + index] }
            .freeze
          # Whole cache lines, so that workers do not write to each other's.
          SIZE = (OTHER_REFUSAL + 1 + GAUGES.size + 7) / 8 * 8
        end
      end
    end
  end
end
