# frozen_string_literal: true

require_relative "../../server"
require_relative "../../server/observability/admin"
require_relative "../../service/health"
require_relative "metrics"

module Raffia
  module CLI
    module Work
      # State and metrics of `raffia work` for {Service::Health}.
      #
      # @api private
      class HealthReport < Metrics
        # Returns a handle. Raises Server::CannotListen.
        def self.serve(service, metrics, address, log)
          Server::Observability::Admin.start(Service::Health.new(new(service, metrics)), address,
            log)
        end

        def initialize(service, metrics)
          super(metrics)
          @service = service
        end

        def state
          status = @service.status
          "#{status[:state]}: #{status[:ready]} of #{status[:workers]} workers ready"
        end

        def serving?
          status = @service.status
          status[:state].to_sym == :running && status[:ready].positive?
        end

        def ready?
          status = @service.status
          status[:state].to_sym == :running && status[:ready] == status[:workers]
        end

        def stats = {**@service.status, **super}

        def write(text)
          super
          status = @service.status
          text.gauge("raffia_workers", "Worker processes that there are to be.", status[:workers])
          text.gauge("raffia_workers_ready", "Of them, those that work.", status[:ready])
          text.counter("raffia_worker_restarts", "Workers that took the place of another, by slot.",
            status[:slots].to_h { |slot| [{slot: slot[:index]}, slot[:restarts]] })
        end
      end
    end
  end
end
