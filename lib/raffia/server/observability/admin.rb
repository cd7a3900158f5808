# frozen_string_literal: true

require "json"
require_relative "host_authorization"
require_relative "metrics/exposition"

module Raffia
  class Server
    module Observability
      # What is behind the `metrics` address, a small application that this very server serves, in a
      # thread of its own:
      #
      # * /metrics: OpenMetrics text
      # * /stats.json: workers, times, the requests in flight, and the backtraces of the slow ones
      # * /health: 200 while requests are served, else 503: for load balancers
      # * /ready: 200 when all workers serve: for whoever deploys
      #
      # It tells paths and addresses of clients, so it is for this machine, or a network that is
      # trusted.
      #
      # @api private
      class Admin
        # What is set for it, and not for the server that it tells of: few connections, none for
        # long.
        OPTIONS = {max_connections: 64, idle_timeout: 10, head_timeout: 5, body_timeout: 5,
                   write_timeout: 5, drain_timeout: 1, request_timeout: 10,
                   metrics: nil, access_log: nil, max_body: 1}.freeze
        JSON_TYPE = {"content-type" => "application/json", "cache-control" => "no-store"}.freeze
        TEXT_TYPE = {"content-type" => "text/plain; charset=utf-8",
                     "cache-control" => "no-store"}.freeze
        private_constant :OPTIONS, :JSON_TYPE, :TEXT_TYPE

        # Serves it, if there is an address for it.
        # @param options [Options]
        # @param beside [#write, #stats, #trouble, nil] tells of what is done besides serving
        # @return [Handle, nil]
        # @raise [CannotListen]
        def self.start(panel, options, log, beside: nil)
          return unless options.metrics

          app = HostAuthorization.around(new(panel, options.slow_request, beside), options.metrics)
          application = Application.of(app, trusted: true)
          handle = Server.start(application, bind: options.metrics, logger: log, **OPTIONS)
          # In workers it would go on listening when this process has ended.
          Fork.after_child { handle.listeners.each { |listener| listener.socket.close } }
          log.info("metrics: #{handle.url}/metrics")
          handle
        end

        # @param panel [StatusPanel::SingleProcess, StatusPanel::Supervised]
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
          when "/metrics"
            [200, {"content-type" => Metrics::OpenMetrics::CONTENT_TYPE,
                   "cache-control" => "no-store"},
              [Metrics::Exposition.new(@panel.totals, @panel.workers, @beside).to_s]]
          when "/stats.json", "/stats"
            [200, JSON_TYPE.dup, [::JSON.pretty_generate({**stats, **@beside&.stats.to_h}) << "\n"]]
          when "/health" then tell(serving?)
          when "/ready"
            tell(serving? && @panel.workers.all? { |worker| worker[:ready] }, @beside&.trouble)
          else [404, TEXT_TYPE.dup, ["/metrics /stats.json /health /ready\n"]]
          end
        end

        private

        def tell(good, trouble = nil)
          [(good && trouble.nil?) ? 200 : 503, TEXT_TYPE.dup,
            ["#{@panel.state}\n", *("#{trouble}\n" if trouble)]]
        end

        def serving? = @panel.state == :running && @panel.workers.any? { |worker| worker[:ready] }

        def stats
          totals = @panel.totals
          requests = @panel.requests(@slow)
            .to_h { |one| [one["pid"] || one[:pid], one["requests"] || one[:requests]] }
          {state: @panel.state, pid: ::Process.pid, version: VERSION,
           at: Time.now.utc.strftime("%FT%T.%LZ"), requests: counts(totals),
           duration: times(totals.duration), queued: times(totals.queued),
           workers: @panel.workers.map { |worker|
             describe(worker, totals, requests[worker[:pid]])
           }}
        end

        def counts(totals)
          {total: totals.requests, in_flight: totals.gauge(:in_flight),
           waiting: totals.gauge(:waiting), threads: totals.gauge(:threads),
           threads_busy: totals.gauge(:threads_busy), **totals.classes.transform_keys(&:to_sym),
           **%i[shed expired timed_out killed app_errors client_gone].to_h { |name|
             [name,
               totals.counted(name)]
           }, refused: totals.refusals.values.sum}
        end

        # Upper bounds, in seconds. What is beyond all bounds has none.
        def times(histogram)
          mean = histogram.sum / histogram.count if histogram.count.positive?
          quantiles = {p50: 0.5, p90: 0.9, p99: 0.99, p999: 0.999}.transform_values do |share|
            histogram.quantile(share)&.then { |bound| bound if bound.finite? }
          end
          {mean: mean&.round(6), **quantiles}
        end

        def describe(worker, totals, requests)
          seen = totals.worker(worker[:pid])&.except(:pid) || {}
          if seen.any?
            seen = seen.merge(loop_lag: seen[:loop_lag] / 1e6,
              longest_turn: seen[:longest_turn] / 1e6)
          end
          {**worker.except(:since), age: worker[:since] && (Clock.now - worker[:since]).round(3),
                                    **seen, at: requests || "no answer"}
        end
      end
    end
  end
end
