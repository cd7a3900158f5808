# frozen_string_literal: true

require_relative "../../jobs"

module Raffia
  module Integrations
    module Rails
      # Configures a worker of an application before it starts.
      #
      # Jobs run in fibers by default if Rails isolates by fiber, else on threads. Fibers would
      # otherwise share their thread's Active Record connection, with its transactions, and before
      # i18n 1.15 the locale.
      #
      # @api private
      class WorkerSetup
        def initialize(app) = @app = app

        # Raises ConfigError when config.raffia.place is invalid.
        def call(worker, log)
          load_active_job
          executor = choose_executor(log)
          Jobs::Setup.current.executor = executor
          check_pools(executor, worker.sizes.fetch(executor) { worker.concurrency }, log)
          show_log
        end

        private

        # Loads Active Job if it is autoloaded, with the classes that payloads name.
        def load_active_job = defined?(::ActiveJob) && ::ActiveJob::Base

        def choose_executor(log)
          given = @app.config.raffia.place
          return given if given

          obstacle = fiber_obstacle or return :fibers
          log.info({event: "rails", on: :threads, why: obstacle})
          :threads
        end

        # Reason why jobs cannot run in fibers, nil if they can.
        def fiber_obstacle
          if ::ActiveSupport::IsolatedExecutionState.isolation_level != :fiber
            "config.active_support.isolation_level is :thread (set it to :fiber)"
          elsif !::I18n::Config.method_defined?(:owned_by?)
            "i18n before 1.15 keeps the locale by thread"
          end
        end

        # Active Record gives each running job a connection, while its pool has any.
        def check_pools(executor, jobs, log)
          return unless defined?(::ActiveRecord::Base) && %i[fibers threads].include?(executor)

          pools = ::ActiveRecord::Base.connection_handler.connection_pool_list.uniq(&:db_config)
          pools.reject { |pool| pool.size.nil? || pool.size >= jobs }.each do |pool|
            log.warn({event: "pool", database: pool.db_config.name, connections: pool.size, jobs:,
              why: "more jobs at once than Active Record may have connections: those that find " \
                "none wait, and fail. Set pool in config/database.yml, or #{flag(executor)}"})
          end
        end

        def flag(executor) = (executor == :threads) ? "--threads" : "--concurrency"

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
