# frozen_string_literal: true

require "json"

module Raffia
  module CLI
    module Work
      # What load balancers and people ask, in a thread of the process that answers for the workers:
      #
      # * /health: 200 while a worker works, else 503
      # * /ready: 200 when all do, and the store can be written
      # * /metrics: OpenMetrics text
      # * /stats.json: the processes, what they have done, and what the store has
      #
      # @api private
      class Health
        TEXT = {"content-type" => "text/plain; charset=utf-8", "cache-control" => "no-store"}.freeze
        JSON_TYPE = {"content-type" => "application/json", "cache-control" => "no-store"}.freeze
        private_constant :TEXT, :JSON_TYPE

        # @raise [Server::CannotListen]
        def self.start(service, figures, address, log)
          require_relative "../../server"
          require_relative "metrics"
          handle = Server.start(new(service, figures), bind: address, logger: log,
            max_connections: 16,
            drain_timeout: 1)
          # In workers it would go on listening when this process has ended.
          Fork.after_child { handle.listeners.each { |listener| listener.socket.close } }
          handle
        end

        # @param (see Health.start)
        def initialize(service, figures)
          @service = service
          @metrics = Metrics.new(figures)
        end

        # @return [Array] a Rack response
        def call(env)
          status = @service.status
          case env["PATH_INFO"]
          when "/health" then tell(status, status[:ready].positive?)
          when "/ready" then tell(status, status[:ready] == status[:workers], @metrics.trouble)
          when "/metrics"
            [200,
              {**TEXT, "content-type" => Server::Observability::Metrics::OpenMetrics::CONTENT_TYPE},
              [metrics(status)]]
          when "/stats.json"
            [200, JSON_TYPE.dup, ["#{::JSON.pretty_generate({**status, **@metrics.stats})}\n"]]
          else [404, TEXT.dup, ["/health /ready /metrics /stats.json\n"]]
          end
        end

        private

        def tell(status, good, trouble = nil)
          good &&= status[:state].to_sym == :running && trouble.nil?
          [good ? 200 : 503, TEXT.dup,
            ["#{status[:state]}: #{status[:ready]} of #{status[:workers]} workers ready\n",
              *("#{trouble}\n" if trouble)]]
        end

        def metrics(status)
          text = Server::Observability::Metrics::OpenMetrics.new
          @metrics.write(text)
          text.gauge("raffia_workers", "Worker processes that there are to be.", status[:workers])
          text.gauge("raffia_workers_ready", "Of them, those that work.", status[:ready])
          text.counter("raffia_worker_restarts", "Workers that took the place of another, by slot.",
            status[:slots].to_h { |slot| [{slot: slot[:index]}, slot[:restarts]] })
          text.to_s
        end
      end
    end
  end
end
