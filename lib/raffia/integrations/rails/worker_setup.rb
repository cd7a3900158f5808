# frozen_string_literal: true

require_relative "../../jobs"
require_relative "default_executor"

module Raffia
  module Integrations
    module Rails
      # Configures a worker of an application before it starts.
      #
      # @api private
      class WorkerSetup
        def initialize(app) = @app = app

        # Raises ConfigError when config.raffia.place is invalid.
        def call(worker, log)
          load_active_job
          place = choose(log)
          check_pools(place, worker.sizes.fetch(place) { worker.concurrency }, log)
          show_log
        end

        private

        # Loads Active Job if it is autoloaded, with the classes that payloads name.
        def load_active_job = defined?(::ActiveJob) && ::ActiveJob::Base

        def choose(log)
          given = @app.config.raffia.place
          if given.nil? && DefaultExecutor.obstacle
            log.info({event: "rails", on: :threads, why: DefaultExecutor.obstacle})
          end
          Jobs::Setup.current.executor = given || DefaultExecutor.default
        end

        # Active Record gives each running job a connection, while its pool has any.
        def check_pools(place, jobs, log)
          return unless defined?(::ActiveRecord::Base) && %i[fibers threads].include?(place)

          ::ActiveRecord::Base.connection_handler.connection_pool_list.uniq(&:db_config)
            .each do |pool|
            next if pool.size.nil? || pool.size >= jobs

            log.warn({event: "pool", database: pool.db_config.name, connections: pool.size,
              jobs:,
              why: "more jobs at once than Active Record may have connections: those that find " \
                "none wait, and fail. Set pool in config/database.yml, or #{flag(place)}"})
          end
        end

        def flag(place) = (place == :threads) ? "--threads" : "--concurrency"

        # Shows Rails' log in the terminal too, as `rails server` does.
        def show_log
          log = ::Rails.logger
          return unless ::Rails.env.development? && log.respond_to?(:broadcast_to)

          unless ::ActiveSupport::Logger.logger_outputs_to?(log, $stdout, $stderr)
            log.broadcast_to(::ActiveSupport::Logger.new($stderr))
          end
        end
      end
    end
  end
end
