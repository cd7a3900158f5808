# frozen_string_literal: true

require_relative "../../../base/version"
require_relative "open_metrics"
require_relative "totals"

module Raffia
  class Server
    module Observability
      # What is counted, and how it is shown.
      #
      # @api private
      module Metrics
        # All that is measured, as OpenMetrics text.
        #
        # @api private
        class Exposition
          # What is counted besides, by its name here and there.
          COUNTERS = {
            accepted: ["connections_accepted", "Connections that were accepted."],
            shed: ["requests_shed", "Requests answered 503 because they had waited for too long."],
            expired: ["requests_expired",
              "Requests answered 503 because their client had given up by then."],
            timed_out: ["requests_timed_out",
              "Requests answered 504 because request_timeout had passed."],
            killed: ["requests_killed",
              "Requests whose worker was replaced because hard_timeout had passed."],
            app_errors: ["app_errors", "Exceptions that the application has raised."],
            client_gone: ["clients_gone", "Clients that were gone before their response was sent."],
            log_lines_lost: ["access_log_lines_lost", "Lines that the access log could not take."],
            collections: ["gc_runs", "Collections of garbage in the workers."]
          }.freeze
          private_constant :COUNTERS

          # @param totals [Totals]
          # @param workers [Array<Hash>] as {StatusPanel#workers}
          # @param beside [#write, nil] writes figures of what is done besides
          def initialize(totals, workers, beside = nil)
            @totals = totals
            @workers = workers
            @beside = beside
            @text = OpenMetrics.new
          end

          # @return [String]
          def to_s
            requests
            times
            COUNTERS.each do |name, (shown, help)|
              @text.counter("raffia_#{shown}", help, @totals.counted(name))
            end
            gauges
            workers
            @beside&.write(@text)
            @text.to_s
          end

          private

          def requests
            @text.info("raffia", "What serves.", {version: VERSION, ruby: RUBY_VERSION})
            @text.counter("raffia_requests", "Requests that have ended.", @totals.requests)
            @text.counter("raffia_responses", "Responses by the class of their status.",
              labelled(:class, @totals.classes))
            @text.counter("raffia_requests_refused",
              "Requests that the server has refused by itself, by status.",
              labelled(:status, @totals.refusals))
            @text.counter("raffia_received_bytes", "Bytes of requests.", @totals.received,
              unit: "bytes")
            @text.counter("raffia_sent_bytes", "Bytes of responses.", @totals.sent, unit: "bytes")
          end

          def times
            @text.histogram("raffia_request_duration_seconds",
              "From the beginning of requests to the end of their responses.", @totals.duration)
            @text.histogram("raffia_request_queue_seconds",
              "From the arrival of requests to their beginning.", @totals.queued)
            @text.counter("raffia_gc_seconds", "What collections of garbage took.",
              @totals.counted(:collection_microseconds) / 1e6, unit: "seconds")
          end

          def gauges
            @text.gauge("raffia_requests_in_flight", "Requests that workers are at.",
              @totals.gauge(:in_flight))
            @text.gauge("raffia_requests_waiting",
              "Of them, those that wait because of max_in_flight, or for a thread.",
              @totals.gauge(:waiting))
            @text.gauge("raffia_threads",
              "Threads that requests may be on, with execution threads.",
              @totals.gauge(:threads))
            @text.gauge("raffia_threads_busy", "Of them, those that have a request.",
              @totals.gauge(:threads_busy))
            @text.gauge("raffia_connections", "Connections that are open.",
              @totals.gauge(:connections))
            @text.gauge("raffia_loop_lag_seconds",
              "How late a fiber was woken, in the worst worker, when last looked.",
              @totals.highest(:loop_lag) / 1e6, unit: "seconds")
            @text.gauge("raffia_loop_longest_turn_seconds",
              "The longest that a loop has not looked at I/O, since its worker began.",
              @totals.highest(:longest_turn) / 1e6, unit: "seconds")
          end

          def workers
            @text.gauge("raffia_workers", "Worker processes that there are to be.", @workers.size)
            @text.gauge("raffia_workers_ready", "Of them, those that serve.",
              @workers.count { |worker| worker[:ready] })
            @text.counter("raffia_worker_restarts",
              "Workers that took the place of another, by slot.", by_slot(:restarts))
            sizes = by_slot(:pss).compact
            unless sizes.empty?
              @text.gauge("raffia_worker_memory_bytes",
                "Proportional set size (PSS) of workers, by slot.", sizes, unit: "bytes")
            end
          end

          def labelled(label, values) = values.transform_keys { |key| {label => key} }

          def by_slot(name) = @workers.to_h { |worker| [{slot: worker[:slot]}, worker[name]] }
        end
      end
    end
  end
end
