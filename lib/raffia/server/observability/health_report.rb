# frozen_string_literal: true

require_relative "../../service/health"
require_relative "admin"
require_relative "host_authorization"
require_relative "metrics/exposition"

module Raffia
  class Server
    module Observability
      # The server's state for {Service::Health}. /stats.json shows paths and addresses of clients,
      # so it is for this machine or a trusted network.
      #
      # @api private
      class HealthReport
        EVENTS = %i[shed expired timed_out killed app_errors client_gone].freeze
        GAUGES = %i[in_flight waiting threads threads_busy].freeze
        QUANTILES = {p50: 0.5, p90: 0.9, p99: 0.99, p999: 0.999}.freeze
        # Divisors of a worker's gauges.
        UNITS = {loop_lag: 1e6, longest_turn: 1e6, longest_wait: 1e6, occupancy: 1e3}.freeze
        private_constant :EVENTS, :GAUGES, :QUANTILES, :UNITS

        # Serves the report, if the options name an address. `others` is the report of other roles.
        def self.serve(...) = prepare(...)&.then { |service| Handle.new(service) }

        # A service for a {Handle}, which listens already.
        def self.prepare(panel, options, log, others: nil, **given)
          return unless options.metrics

          health = Service::Health.new(new(panel, options.slow_request, others))
          service = Admin.prepare(HostAuthorization.around(health, options.metrics), options.metrics,
            log, **given)
          log.info("metrics: #{service.listening.first.first.url}/metrics")
          service
        end

        # Requests that take longer than `slow` seconds are shown with their backtrace.
        def initialize(panel, slow, others)
          @panel = panel
          @slow = slow
          @others = others
        end

        def state = @panel.state

        def serving? = state == :running && @panel.workers.any? { |worker| worker[:ready] }

        # Workers beyond the fewest come and go with the load.
        def ready?
          return false unless serving?

          needed = @panel.autoscaler&.fetch(:min) || @panel.workers.size
          @panel.workers.count { |worker| worker[:ready] } >= needed
        end

        def trouble = @others&.trouble

        def write(text)
          Metrics::Exposition.new(@panel.totals, @panel.workers, @panel.autoscaler,
            @panel.takeover).write(text)
          @others&.write(text)
        end

        def stats
          totals = @panel.totals
          requests = @panel.requests(@slow)
            .to_h { |one| [one["pid"] || one[:pid], one["requests"] || one[:requests]] }
          workers = @panel.workers.map { |worker| row(worker, totals, requests[worker[:pid]]) }
          {state: state, pid: ::Process.pid, version: VERSION,
           at: Time.now.utc.strftime("%FT%T.%LZ"), requests: counts(totals),
           duration: summary(totals.duration), queued: summary(totals.queued), workers: workers,
           **{autoscaler: @panel.autoscaler, takeover: @panel.takeover}.compact, **@others&.stats.to_h}
        end

        private

        def counts(totals)
          {total: totals.requests, **GAUGES.to_h { |name| [name, totals.gauge(name)] },
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
          UNITS.each { |name, unit| gauges[name] /= unit if gauges.key?(name) }
          age = worker[:since] && (Clock.now - worker[:since]).round(3)
          {**worker.except(:since), age: age, **gauges, at: requests || "no answer"}
        end
      end
    end
  end
end
