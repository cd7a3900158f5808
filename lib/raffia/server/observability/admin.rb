# frozen_string_literal: true

require "json"
require_relative "host_authorization"
require_relative "metrics/exposition"

module Raffia
  class Server
    module Observability
      # The application behind the `metrics` address, served in a thread of its own:
      #
      # * /metrics: OpenMetrics text
      # * /stats.json: workers, durations, requests in flight, backtraces of slow ones
      # * /health: 200 while requests are served, else 503: for load balancers
      # * /ready: 200 when all workers serve: for deployments
      #
      # It shows paths and addresses of clients, so it is for this machine or a trusted network.
      #
      # @api private
      class Admin
        # Settings of its own server: few connections, and short ones.
        OPTIONS = {max_connections: 64, idle_timeout: 10, head_timeout: 5, body_timeout: 5,
                   write_timeout: 5, drain_timeout: 1, request_timeout: 10,
                   metrics: nil, access_log: nil, max_body: 1}.freeze
        NO_STORE = {"cache-control" => "no-store"}.freeze
        JSON_TYPE = {"content-type" => "application/json", **NO_STORE}.freeze
        TEXT_TYPE = {"content-type" => "text/plain; charset=utf-8", **NO_STORE}.freeze
        METRICS_TYPE = {"content-type" => Metrics::OpenMetrics::CONTENT_TYPE, **NO_STORE}.freeze
        EVENTS = %i[shed expired timed_out killed app_errors client_gone].freeze
        QUANTILES = {p50: 0.5, p90: 0.9, p99: 0.99, p999: 0.999}.freeze
        private_constant :OPTIONS, :NO_STORE, :JSON_TYPE, :TEXT_TYPE, :METRICS_TYPE, :EVENTS,
          :QUANTILES

        # Serves it, if the options name an address.
        # @param beside [#write, #stats, #trouble, nil] reports work other than serving
        # @return [Handle, nil]
        def self.start(panel, options, log, beside: nil)
          return unless options.metrics

          app = HostAuthorization.around(new(panel, options.slow_request, beside), options.metrics)
          application = Application.of(app, trusted: true)
          handle = Server.start(application, bind: options.metrics, logger: log, **OPTIONS)
          # Workers would keep it open after this process has ended.
          Fork.after_child { handle.listeners.each { |listener| listener.socket.close } }
          log.info("metrics: #{handle.url}/metrics")
          handle
        end

        # @param slow [Numeric, nil] seconds
        # @param beside (see Admin.start)
        def initialize(panel, slow, beside = nil)
          @panel = panel
          @slow = slow
          @beside = beside
        end

        # @return [Array] a Rack response
        def call(env)
          case env["PATH_INFO"]
          when "/metrics" then [200, METRICS_TYPE.dup, [metrics]]
          when "/stats.json", "/stats"
            [200, JSON_TYPE.dup, [::JSON.pretty_generate({**stats, **@beside&.stats.to_h}) << "\n"]]
          when "/health" then state(serving?)
          when "/ready"
            state(serving? && @panel.workers.all? { |worker| worker[:ready] }, @beside&.trouble)
          else [404, TEXT_TYPE.dup, ["/metrics /stats.json /health /ready\n"]]
          end
        end

        private

        def metrics = Metrics::Exposition.new(@panel.totals, @panel.workers, @beside).to_s

        def state(good, trouble = nil)
          [(good && trouble.nil?) ? 200 : 503, TEXT_TYPE.dup,
            ["#{@panel.state}\n", *("#{trouble}\n" if trouble)]]
        end

        def serving? = @panel.state == :running && @panel.workers.any? { |worker| worker[:ready] }

        def stats
          totals = @panel.totals
          requests = @panel.requests(@slow)
            .to_h { |one| [one["pid"] || one[:pid], one["requests"] || one[:requests]] }
          workers = @panel.workers.map { |worker| row(worker, totals, requests[worker[:pid]]) }
          {state: @panel.state, pid: ::Process.pid, version: VERSION,
           at: Time.now.utc.strftime("%FT%T.%LZ"), requests: counts(totals),
           duration: summary(totals.duration), queued: summary(totals.queued), workers: workers}
        end

        def counts(totals)
          gauges = %i[in_flight waiting threads threads_busy]
          {total: totals.requests, **gauges.to_h { |name| [name, totals.gauge(name)] },
           **totals.classes.transform_keys(&:to_sym),
           **EVENTS.to_h { |name| [name, totals.counted(name)] },
           refused: totals.refusals.values.sum}
        end

        # Upper bounds in seconds; nil beyond the last one.
        def summary(histogram)
          mean = histogram.sum / histogram.count if histogram.count.positive?
          quantiles = QUANTILES.transform_values do |share|
            histogram.quantile(share)&.then { |bound| bound if bound.finite? }
          end
          {mean: mean&.round(6), **quantiles}
        end

        def row(worker, totals, requests)
          gauges = totals.worker(worker[:pid])&.except(:pid) || {}
          %i[loop_lag longest_turn].each { |name| gauges[name] /= 1e6 if gauges.key?(name) }
          age = worker[:since] && (Clock.now - worker[:since]).round(3)
          {**worker.except(:since), age: age, **gauges, at: requests || "no answer"}
        end
      end
    end
  end
end
