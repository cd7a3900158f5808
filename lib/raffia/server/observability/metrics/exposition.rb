# frozen_string_literal: true

require_relative "totals"

module Raffia
  class Server
    module Observability
      # Metrics of the server: how they are counted and shown.
      #
      # @api private
      module Metrics
        # The page of all metrics, as OpenMetrics text.
        #
        # @api private
        class Exposition
          COUNTERS = {
            accepted: ["connections_accepted", "Connections that were accepted."],
            shed: ["requests_shed", "Requests answered 503 because they had waited for too long."],
            expired: ["requests_expired",
              "Requests answered 503 because their client had given up by then."],
            timed_out: ["requests_timed_out",
              "Requests answered 504 because request_timeout had passed."],
            clients_limited: ["requests_limited",
              "Requests answered 429 because their client had sent too many."],
            connections_limited: ["connections_limited",
              "Connections that were closed because their client had too many."],
            killed: ["requests_killed",
              "Requests whose worker was replaced because hard_timeout had passed."],
            app_errors: ["app_errors", "Exceptions that the application has raised."],
            client_gone: ["clients_gone", "Clients that were gone before their response was sent."],
            log_lines_lost: ["access_log_lines_lost", "Lines that the access log could not take."],
            collections: ["gc_runs", "Garbage collections in the workers."]
          }.freeze
          GAUGES = {
            in_flight: ["requests_in_flight", "Requests in flight."],
            waiting: ["requests_waiting",
              "Of them, those that wait because of max_in_flight, or for a thread."],
            threads: ["threads", "Threads for requests, with execution threads."],
            threads_busy: ["threads_busy", "Of them, those that have a request."],
            threads_zombie: ["threads_zombie",
              "Of them, those whose request was answered 504 and that run on."],
            connections: ["connections", "Open connections."]
          }.freeze
          # The highest of all workers; microseconds.
          HIGHEST = {
            loop_lag: ["loop_lag_seconds", "How late a fiber was woken when last measured."],
            longest_turn: ["loop_longest_turn_seconds",
              "The longest time between two polls of the loop, since its worker began."],
            longest_wait: ["requests_longest_wait_seconds",
              "How long the first request waits because of max_in_flight, or for a thread."]
          }.freeze
          # States of a takeover in which a server can be asked for its metrics.
          TAKEOVER = {old: %i[offered yielded trial], new: %i[trial confirming]}
            .flat_map { |side, states| states.map { |state| {side: side, state: state} } }.freeze
          private_constant :COUNTERS, :GAUGES, :HIGHEST, :TAKEOVER

          # `autoscaler`, `takeover`: their reports, or nil.
          def initialize(totals, workers, autoscaler = nil, takeover = nil)
            @totals = totals
            @workers = workers
            @autoscaler = autoscaler
            @takeover = takeover
          end

          # `text`: a {Service::OpenMetrics}.
          def write(text)
            @text = text
            requests
            durations
            COUNTERS.each { |name, row| @text.counter(*named(row), @totals.counted(name)) }
            @text.counter("raffia_connections_moved",
              "Connections that were moved to an idle worker, by way.",
              labelled(:way, @totals.moved))
            http2
            gauges
            workers
            takeover if @takeover
          end

          private

          def http2
            @text.counter("raffia_h2_resets", "Streams of HTTP/2 that were reset, by side.",
              labelled(:side, {"client" => @totals.counted(:h2_resets_received),
                               "server" => @totals.counted(:h2_resets_sent)}))
            @text.counter("raffia_h2_abuse",
              "Connections of HTTP/2 that were ended because of a limit, by its kind.",
              labelled(:kind, Layout::ABUSE.to_h { |kind|
                [kind, @totals.counted(:"h2_abuse_#{kind}")]
              }))
          end

          def named((name, help)) = ["raffia_#{name}", help]

          def requests
            @text.info("raffia", "Versions.", {version: VERSION, ruby: RUBY_VERSION})
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

          def durations
            @text.histogram("raffia_request_duration_seconds",
              "From the beginning of requests to the end of their responses.", @totals.duration)
            @text.histogram("raffia_request_queue_seconds",
              "From the arrival of requests to their beginning.", @totals.queued)
            @text.counter("raffia_gc_seconds", "Time in garbage collections.",
              @totals.counted(:collection_microseconds) / 1e6, unit: "seconds")
          end

          def gauges
            GAUGES.each { |name, row| @text.gauge(*named(row), @totals.gauge(name)) }
            HIGHEST.each do |name, row|
              @text.gauge(*named(row), @totals.highest(name) / 1e6, unit: "seconds")
            end
          end

          def workers
            @text.gauge("raffia_workers", "Worker processes.", @workers.size)
            @text.gauge("raffia_workers_ready", "Of them, those that serve.",
              @workers.count { |worker| worker[:ready] })
            @text.counter("raffia_worker_restarts",
              "Workers that took the place of another, by slot.", by_slot(:restarts))
            autoscaler if @autoscaler
            sizes = by_slot(:pss).compact
            return if sizes.empty?

            @text.gauge("raffia_worker_memory_bytes",
              "Proportional set size (PSS) of workers, by slot.", sizes, unit: "bytes")
          end

          def autoscaler
            @text.gauge("raffia_workers_least", "Workers that there are at least.",
              @autoscaler[:min])
            @text.gauge("raffia_workers_most", "Workers that there are at most.",
              @autoscaler[:max])
            @text.counter("raffia_workers_scaled",
              "Changes of the number of workers by their load.",
              {{to: "more"} => @autoscaler[:grown], {to: "less"} => @autoscaler[:shrunk]})
          end

          def takeover
            now = @takeover.slice(:side, :state)
            @text.gauge("raffia_takeover_state",
              "1 for the state of the takeover that goes on, by side.",
              TAKEOVER.to_h { |row| [row, (row == now) ? 1 : 0] })
            @text.counter("raffia_takeovers_failed", "Takeovers that this server has taken back.",
              @takeover[:failed])
          end

          def labelled(label, values) = values.transform_keys { |key| {label => key} }

          def by_slot(name) = @workers.to_h { |worker| [{slot: worker[:slot]}, worker[name]] }
        end
      end
    end
  end
end
